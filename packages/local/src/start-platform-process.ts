import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { ChildExit } from './starting/child-exit.ts'
import type { LocalChain } from './chain/start-chain.ts'
import { TEST_KEYS } from './chain/test-keys.ts'
import { findFreePort } from './processes/free-port.ts'
import { platformProgram } from './programs.ts'
import { readOrCreateToken } from './read-or-create-token.ts'
import { runToEnd } from './processes/run-program.ts'
import type { FacilitatorProcess } from './start-facilitator-process.ts'

/** A running platform. */
export interface PlatformProcess {
  readonly url: string
  /** The token for the operator's routes. */
  readonly operatorToken: string
  readonly pid: number
  readonly exited: Promise<ChildExit>
  stop(): Promise<unknown>
}

/** The options of starting a platform. */
export interface PlatformProcessOptions {
  readonly folder: string
  readonly chain: Pick<LocalChain, 'chainId' | 'rpcUrl' | 'agentRegistry'>
  readonly facilitator: Pick<FacilitatorProcess, 'url' | 'adminToken'>
  readonly databaseUrl: string
  /** 0 selects any free port. */
  readonly port: number
  /** The name of this process; a second one on the same database needs another name. */
  readonly name?: string
  /** Additional environment variables. */
  readonly environment?: { readonly [name: string]: string }
  readonly onLine?: (program: string, line: string) => void
  /** The advice for the error message when it does not start, in the imperative. */
  readonly advice?: string
  /** Receives a description of the current activity, until the platform has started. */
  readonly onActivity?: (activity: string) => void
  readonly signal?: AbortSignal
}

/** Starts the platform on a local chain in local mode, in which agents on this machine may be registered. */
export async function startPlatformProcess(options: PlatformProcessOptions): Promise<PlatformProcess> {
  const { chain, facilitator, databaseUrl, name = 'platform', onLine, onActivity, signal } = options
  const folder = join(options.folder, 'platform')
  await mkdir(folder, { recursive: true })
  const operatorToken = await readOrCreateToken(join(folder, 'operator-token'))
  // The platform publishes its own address, also in receipts, so it must know the port before it starts.
  const port = options.port === 0 ? await findFreePort() : options.port
  onActivity?.('loading its code')
  const child = await runToEnd({
    name,
    folder,
    logFile: join(options.folder, 'logs', `${name}.log`),
    ...(options.advice !== undefined && { advice: options.advice }),
    ...(onActivity && { onActivity }),
    port,
    command: process.execPath,
    arguments: [platformProgram()],
    environment: {
      PATH: process.env['PATH'] ?? '',
      PLATFORM_PORT: String(port),
      PLATFORM_PUBLIC_URL: `http://localhost:${port}`,
      PLATFORM_LOCAL: 'true',
      PLATFORM_DATA: folder,
      PLATFORM_NETWORK: `eip155:${chain.chainId}`,
      PLATFORM_OPERATOR_TOKEN: operatorToken,
      AGENT_REGISTRY_ADDRESS: chain.agentRegistry,
      DATABASE_URL: databaseUrl,
      EVM_RPC_URL: chain.rpcUrl,
      FACILITATOR_URL: facilitator.url,
      FACILITATOR_ADMIN_TOKEN: facilitator.adminToken,
      FAUCET_PRIVATE_KEY: TEST_KEYS.faucet.privateKey,
      ...options.environment,
    },
    readReady: readListeningUrl,
    onLine: line => onLine?.(name, line),
    ...(signal && { signal }),
  })
  const { exited, pid } = child
  return { url: `http://localhost:${port}`, operatorToken, pid, exited, stop: () => child.stop() }
}

function readListeningUrl(line: string): string | undefined {
  return /"event":"listening".*"url":"(http:[^"]+)"/.exec(line)?.[1]
}
