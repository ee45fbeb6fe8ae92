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

/** One agent to be served. */
export interface EconomyAgent {
  /** Its `agent.json`; the handlers are found beside it. */
  readonly config: string
  /** The wallet that is paid. */
  readonly wallet: string
  /** 0: any free one. */
  readonly port: number
  /** The key that it moves payers' tokens with, where it spends; it is then registered at the economy's platform. */
  readonly spenderPrivateKey?: string
  /** The wallet that it hires other agents from, where it does; it is given test USDC. */
  readonly hiringWallet?: { readonly address: string; readonly privateKey: string }
  /** More of its environment. */
  readonly environment?: { readonly [name: string]: string }
}

/** A running agent. */
export interface LocalAgentProcess {
  readonly url: string
  /** As its `/about` serves it. */
  readonly declaration: Declaration
  readonly pid: number
  readonly exited: Promise<ChildExit>
  stop(): Promise<unknown>
}

/** The options of starting an agent. */
export interface AgentProcessOptions {
  readonly folder: string
  readonly agent: EconomyAgent
  /** Of this process; default the config's folder and the port. Replicas of one agent need different ones. */
  readonly name?: string
  readonly chain: LocalChain
  readonly facilitator: FacilitatorProcess
  readonly secret: string
  /** Default: a folder of its own, `lmdb:<folder>/agents/<name>`. */
  readonly store?: string
  /** More of the environment. */
  readonly environment?: { readonly [name: string]: string }
  readonly onLine?: (program: string, line: string) => void
  /** Receives what it is doing, until it has started. */
  readonly onActivity?: (activity: string) => void
  readonly signal?: AbortSignal
}

/** Starts `farebox start` for one agent, paid, and reads its `/about`. */
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

/** The runtime's own first line: `{"event":"listening","url":"http://localhost:3001"}`. */
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
