import { randomInt } from 'node:crypto'
import { startChild } from '../processes/child-process.ts'
import type { RunningChild } from '../processes/child-process.ts'
import { readGlibcVersion } from '../processes/glibc.ts'
import { isThere } from '../processes/is-there.ts'
import { portTaken } from '../processes/port-taken-error.ts'
import { NotStartedError } from '../starting/not-started-error.ts'
import { findAnvil } from './anvil-binary.ts'
import type { ChainFiles } from './chain-state.ts'

export interface SpawnAnvilOptions {
  readonly chainId: number
  readonly files: ChainFiles | undefined
  readonly port?: number
  readonly isHidden?: boolean
  readonly blockTimeSeconds?: number
  readonly logFile?: string
  readonly advice?: string
  readonly signal?: AbortSignal
}

/** The values in the line that anvil prints once it listens. */
export interface AnvilReady {
  readonly rpcUrl: string
}

/** How many past states anvil keeps in memory. It would write older ones below the user's home folder. */
const KEPT_STATES = 256
/** One account for each entry of `TEST_KEYS`; anvil's default is ten. */
const ACCOUNTS = 14

/**
 * Starts anvil on 127.0.0.1 and waits until it listens. Anvil continues a saved chain if there is one.
 *
 * @throws PortTakenError naming the process that uses the port, if it can be determined
 * @throws NotStartedError with anvil's output when it fails for another reason
 */
export async function spawnAnvil(options: SpawnAnvilOptions): Promise<RunningChild<AnvilReady>> {
  const { platform, arch } = process
  const command = findAnvil({ platform, arch, glibcVersion: readGlibcVersion() })
  try {
    return await startChild({
      command,
      arguments: await listArguments(options),
      readReady: readListeningLine,
      part: 'the chain',
      ...(options.advice !== undefined && { advice: options.advice }),
      ...(options.logFile !== undefined && { logFile: options.logFile }),
      ...(options.signal === undefined ? {} : { signal: options.signal }),
    })
  } catch (error) {
    if (options.port === undefined || !isPortTaken(error)) throw error
    throw await portTaken(options.port, 'the chain', error)
  }
}

async function listArguments(options: SpawnAnvilOptions): Promise<string[]> {
  const { chainId, files, port = 0, isHidden = false, blockTimeSeconds } = options
  const saved = files !== undefined && (await isThere(files.saved))
  return [
    `--host=${isHidden ? hiddenAddress() : '127.0.0.1'}`,
    `--port=${port}`,
    `--chain-id=${chainId}`,
    `--accounts=${ACCOUNTS}`,
    `--prune-history=${KEPT_STATES}`,
    ...(blockTimeSeconds === undefined ? [] : [`--block-time=${blockTimeSeconds}`]),
    // By default anvil accepts calls from every web page that is open in a browser.
    '--no-cors',
    ...(files === undefined ? [] : [`--dump-state=${files.dumpedAtExit}`]),
    ...(saved ? [`--load-state=${files.saved}`] : []),
  ]
}

/**
 * Returns one of about sixteen million loopback addresses of this machine, so that a web page cannot find it by trying.
 * macOS listens on the first address only; there, only the port is unknown to a page.
 */
function hiddenAddress(): string {
  if (process.platform === 'darwin') return '127.0.0.1'
  return `127.${randomInt(1, 255)}.${randomInt(256)}.${randomInt(1, 255)}`
}

function readListeningLine(line: string): AnvilReady | undefined {
  const address = /^Listening on (127(?:\.\d{1,3}){3}:\d+)$/.exec(line)?.[1]
  return address === undefined ? undefined : { rpcUrl: `http://${address}` }
}

function isPortTaken(error: unknown): boolean {
  // Linux, macOS and Windows use different error numbers; the message is Rust's, or the system's in the user's language.
  const taken = /address already in use|os error (98|48|10048)/i
  return error instanceof NotStartedError && taken.test(error.lastLines)
}
