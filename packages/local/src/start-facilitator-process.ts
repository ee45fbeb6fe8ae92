import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { ChildExit } from './starting/child-exit.ts'
import type { LocalChain } from './chain/start-chain.ts'
import { TEST_KEYS } from './chain/test-keys.ts'
import { facilitatorProgram } from './programs.ts'
import { readOrCreateToken } from './read-or-create-token.ts'
import { runToEnd } from './processes/run-program.ts'

/** A running facilitator. */
export interface FacilitatorProcess {
  readonly url: string
  /** The token for its administration API of secrets. */
  readonly adminToken: string
  readonly pid: number
  readonly exited: Promise<ChildExit>
  stop(): Promise<unknown>
}

/** The options of starting a facilitator. */
export interface FacilitatorProcessOptions {
  readonly folder: string
  readonly chain: LocalChain
  readonly databaseUrl: string
  /** 0 selects any free port. */
  readonly port: number
  /** The name of this process; a second one on the same ledger needs another name. */
  readonly name?: string
  /** Additional environment variables. */
  readonly environment?: { readonly [name: string]: string }
  readonly onLine?: (program: string, line: string) => void
  /** The advice for the error message when it does not start, in the imperative. */
  readonly advice?: string
  /** Receives a description of the current activity, until the facilitator has started. */
  readonly onActivity?: (activity: string) => void
  readonly signal?: AbortSignal
}

/** Starts the facilitator on a local chain. Its relayer is the test key with 10,000 test ETH. */
export async function startFacilitatorProcess(
  options: FacilitatorProcessOptions,
): Promise<FacilitatorProcess> {
  const { chain, databaseUrl, port, name = 'facilitator', onLine, onActivity, signal } = options
  const folder = join(options.folder, 'facilitator')
  await mkdir(folder, { recursive: true })
  const adminToken = await readOrCreateToken(join(folder, 'admin-token'))
  onActivity?.('loading its code')
  const child = await runToEnd({
    name,
    folder,
    logFile: join(options.folder, 'logs', `${name}.log`),
    ...(options.advice !== undefined && { advice: options.advice }),
    ...(onActivity && { onActivity }),
    port,
    command: process.execPath,
    arguments: [facilitatorProgram()],
    environment: {
      PATH: process.env['PATH'] ?? '',
      FACILITATOR_PORT: String(port),
      FACILITATOR_NETWORK: `eip155:${chain.chainId}`,
      FACILITATOR_ADMIN_TOKEN: adminToken,
      DATABASE_URL: databaseUrl,
      EVM_RPC_URL: chain.rpcUrl,
      RELAYER_PRIVATE_KEY: TEST_KEYS.relayer.privateKey,
      ...options.environment,
    },
    readReady: readListeningUrl,
    onLine: line => onLine?.(name, line),
    ...(signal && { signal }),
  })
  return { url: child.ready, adminToken, pid: child.pid, exited: child.exited, stop: () => child.stop() }
}

function readListeningUrl(line: string): string | undefined {
  return /"event":"listening".*"url":"(http:[^"]+)"/.exec(line)?.[1]
}
