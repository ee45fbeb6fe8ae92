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

/** The line of anvil once it listens. */
export interface AnvilReady {
  readonly rpcUrl: string
}

/** How many past states anvil holds in memory; older ones it would write below the user's home. */
const KEPT_STATES = 256
/** Those of `TEST_KEYS`; anvil's own default is ten. */
const ACCOUNTS = 14

/**
 * Starts anvil on 127.0.0.1 and waits until it listens; it goes on with the saved chain where there is one.
 *
 * @throws PortTakenError naming who has the port, as far as that can be told
 * @throws NotStartedError when anvil fails for another reason, with its own words
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
    // Anvil's own default lets every web page that is open in a browser drive the chain.
    '--no-cors',
    ...(files === undefined ? [] : [`--dump-state=${files.dumpedAtExit}`]),
    ...(saved ? [`--load-state=${files.saved}`] : []),
  ]
}

/**
 * One of sixteen million addresses of this machine: no web page finds it by trying. macOS listens on the first alone; there
 * the port is all that is to be found.
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
  // Linux, macOS and Windows number it differently; the words are Rust's, or the system's in its language.
  const taken = /address already in use|os error (98|48|10048)/i
  return error instanceof NotStartedError && taken.test(error.lastLines)
}
