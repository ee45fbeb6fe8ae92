/** The fields of a log line: never a secret, a signature or a payment header. */
export type LogFields = { readonly [name: string]: string | number | boolean | bigint | undefined }

/** The log of a server: one line for each event. */
export interface Log {
  info(event: string, fields?: LogFields): void
  /** Reports something that an operator should look at soon. */
  warn(event: string, fields?: LogFields): void
  /** Reports something that an operator should look at now. */
  error(event: string, fields?: LogFields): void
}

/**
 * Writes each event as one line of JSON: `{"time":…,"level":…,"event":…, …fields}`.
 *
 * @param hide the last filter before a line is written: texts of nodes and databases are logged unchecked
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

/** Logs nothing. */
export const silentLog: Log = { info: () => undefined, warn: () => undefined, error: () => undefined }

const MAX_ERROR_CHARACTERS = 1_000

/**
 * The description of an error for a log: its message and those of its causes. Other properties are omitted: libraries attach
 * commands with passwords, and rows with signatures, to their errors.
 */
export function describeError(error: unknown): string {
  const words = wordsOf(error)
  // Cut between words: the filter would not recognise half a secret.
  return words.length <= MAX_ERROR_CHARACTERS
    ? words
    : words.slice(0, MAX_ERROR_CHARACTERS).replace(/\S*$/, '…')
}

function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const words = error.message === '' ? error.name : error.message
  return error.cause === undefined ? words : `${words}; cause: ${wordsOf(error.cause)}`
}
