import { mkdir } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { createJsonOrigin } from '@farebox/payments/internal/http/http-json'
import { checkDeclaration } from '@farebox/protocol/declaration/check-declaration'
import type { Declaration } from '@farebox/protocol/declaration/declaration'
import type { ChildExit } from './starting/child-exit.ts'
import type { LocalChain } from './chain/start-chain.ts'
import { fareboxProgram } from './programs.ts'
import type { FacilitatorProcess } from './start-facilitator-process.ts'
import { runToEnd } from './processes/run-program.ts'
import { shownPath } from './starting/shown-path.ts'
import { START_LIMIT_MS } from './starting/wait-for-start.ts'

/** An agent to serve. */
export interface EconomyAgent {
  /** The path of its `agent.json`; its handlers are found beside that file. */
  readonly config: string
  /** The wallet that receives its payments. */
  readonly wallet: string
  /** 0 selects any free port. */
  readonly port: number
  /** The key with which it spends payers' tokens, if it does. The agent is then registered at the economy's platform. */
  readonly spenderPrivateKey?: string
  /** The wallet from which it pays other agents, if it hires any. The wallet receives test USDC. */
  readonly hiringWallet?: { readonly address: string; readonly privateKey: string }
  /** Additional environment variables. */
  readonly environment?: { readonly [name: string]: string }
}

/** A running agent. */
export interface LocalAgentProcess {
  readonly url: string
  /** The declaration that its `/about` serves. */
  readonly declaration: Declaration
  readonly pid: number
  readonly exited: Promise<ChildExit>
  stop(): Promise<unknown>
}

/** The options of starting an agent. */
export interface AgentProcessOptions {
  readonly folder: string
  readonly agent: EconomyAgent
  /**
   * The name of this process; by default derived from the config's folder and the port. Replicas of one agent need
   * different names.
   */
  readonly name?: string
  readonly chain: LocalChain
  readonly facilitator: FacilitatorProcess
  readonly secret: string
  /** Default: a store of its own, `lmdb:<folder>/agents/<name>`. */
  readonly store?: string
  /** Additional environment variables. */
  readonly environment?: { readonly [name: string]: string }
  readonly onLine?: (program: string, line: string) => void
  /** Receives a description of the current activity, until the agent has started. */
  readonly onActivity?: (activity: string) => void
  readonly signal?: AbortSignal
}

/** Starts `farebox start` for one agent with payments enabled, and reads its `/about`. */
export async function startAgentProcess(options: AgentProcessOptions): Promise<LocalAgentProcess> {
  const { folder, agent, chain, facilitator, secret, onLine, onActivity, signal } = options
  const name = options.name ?? `${basename(dirname(agent.config))}-${agent.port}`
  const own = join(folder, 'agents')
  await mkdir(own, { recursive: true })
  onActivity?.('loading its handlers')
  const child = await runToEnd({
    name,
    part: `the agent ${name}`,
    folder: own,
    logFile: join(folder, 'logs', `${name}.log`),
    advice: `npx farebox dev --config ${shownPath(agent.config)} shows it in its place, and again after each save`,
    port: agent.port,
    command: process.execPath,
    arguments: [
      fareboxProgram(),
      'start',
      '--config',
      agent.config,
      '--host',
      '127.0.0.1',
      '--port',
      String(agent.port),
    ],
    environment: {
      PATH: process.env['PATH'] ?? '',
      AGENT_WALLET_ADDRESS: agent.wallet,
      FACILITATOR_SECRET: secret,
      FACILITATOR_URL: facilitator.url,
      SERVICE_DEV_MODE: 'false',
      SERVICE_NETWORK: `eip155:${chain.chainId}`,
      SERVICE_STORE: options.store ?? `lmdb:${join(own, basename(dirname(agent.config)))}`,
      SERVICE_LOG: 'json',
      ...(agent.hiringWallet !== undefined && { HIRING_PRIVATE_KEY: agent.hiringWallet.privateKey }),
      ...agent.environment,
      ...options.environment,
    },
    readReady: readListeningUrl,
    onLine: line => onLine?.(name, line),
    ...(signal && { signal }),
  })
  try {
    return {
      url: child.ready,
      declaration: await readDeclaration(child.ready),
      pid: child.pid,
      exited: child.exited,
      stop: () => child.stop(),
    }
  } catch (error) {
    await child.stop()
    throw error
  }
}

/** Reads the URL from the runtime's first log line: `{"event":"listening","url":"http://localhost:3001"}`. */
function readListeningUrl(line: string): string | undefined {
  return /"event":"listening".*"url":"(http:[^"]+)"/.exec(line)?.[1]
}

async function readDeclaration(url: string): Promise<Declaration> {
  const origin = createJsonOrigin(url)
  try {
    const { body } = await origin.send({ method: 'GET', path: '/about', timeoutMs: START_LIMIT_MS })
    const checked = checkDeclaration(body)
    if (!checked.ok) throw new Error(`${url}/about does not serve a declaration`)
    return checked.declaration
  } finally {
    await origin.close()
  }
}
