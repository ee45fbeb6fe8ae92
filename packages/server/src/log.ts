/** What a log line may carry: never a secret, a signature or a payment header. */
export type LogFields = { readonly [name: string]: string | number | boolean | bigint | undefined }

/** Where the facilitator says what happens: one line, one event. */
export interface Log {
  info(event: string, fields?: LogFields): void
  /** Something an operator should look at soon. */
  warn(event: string, fields?: LogFields): void
  /** Something an operator should look at now. */
  error(event: string, fields?: LogFields): void
}

/**
 * Writes each event as one line of JSON: `{"time":…,"level":…,"event":…, …fields}`.
 *
 * @param hide the last filter before a line is written: nodes and databases say what they like, and it is logged
 * @example
 * ```ts
 * import { createJsonLog } from '@farebox/server/log'
 *
 * const log = createJsonLog(line => process.stdout.write(`${line}\n`), Date.now)
 * log.info('listening', { port: 4010 }) // {"time":"…","level":"info","event":"listening","port":4010}
 * ```
 */
export function createJsonLog(
  write: (line: string) => void,
  nowMs: () => number,
  hide: (text: string) => string = text => text,
): Log {
  const level =
    (name: string) =>
    (event: string, fields: LogFields = {}): void => {
      const line = { time: new Date(nowMs()).toISOString(), level: name, event, ...fields }
      write(hide(JSON.stringify(line, bigintAsText)))
    }
  return { info: level('info'), warn: level('warn'), error: level('error') }
}

function bigintAsText(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? value.toString() : value
}

/** Says nothing. */
export const silentLog: Log = { info: () => undefined, warn: () => undefined, error: () => undefined }

const MAX_ERROR_CHARACTERS = 1_000

/**
 * What a log may say of an error: its words and those of its causes. Nothing else of it: what libraries hang on
 * their errors are commands with passwords, and rows with signatures.
 */
export function describeError(error: unknown): string {
  const words = wordsOf(error)
  // Cut between words: half a secret would not be known for one any more.
  return words.length <= MAX_ERROR_CHARACTERS
    ? words
    : words.slice(0, MAX_ERROR_CHARACTERS).replace(/\S*$/, '…')
}

function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const words = error.message === '' ? error.name : error.message
  return error.cause === undefined ? words : `${words}; cause: ${wordsOf(error.cause)}`
}
