/** The fields of a log line: never a secret, a signature or a payment header. */
export type LogFields = { readonly [name: string]: string | number | boolean | bigint | undefined }

/** The log of a server: one line for each event. */
export interface Log {
  info(event: string, fields?: LogFields): void
  /** Reports an event that an operator should inspect soon. */
  warn(event: string, fields?: LogFields): void
  /** Reports an event that an operator should inspect now. */
  error(event: string, fields?: LogFields): void
}

/**
 * How long the repeats of a failure are counted instead of written: with a database away, every loop and request fails
 * in the same way many times a second.
 */
const REPEATS_MS = 30_000

/** The maximum number of failures whose repeats are counted at once; further ones are written each time. */
const MOST_COUNTED = 200

/** A failure that was written, and its repeats since. */
interface Counted {
  readonly sinceMs: number
  readonly repeats: number
  readonly line: Readonly<Record<string, unknown>>
}

/**
 * Writes each event as one line of JSON: `{"time":…,"level":…,"event":…, …fields}`.
 *
 * An event with the same `error` as one before is counted, and written every 30 s with its last fields and `repeats`.
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
  const counted = new Map<string, Counted>()
  const writeLine = (atMs: number, line: Counted['line']): void =>
    write(hide(JSON.stringify({ time: new Date(atMs).toISOString(), ...line }, bigintAsText)))
  const writeRepeats = (atMs: number): void => {
    for (const [key, { sinceMs, repeats, line }] of counted) {
      if (atMs - sinceMs < REPEATS_MS) continue
      counted.delete(key)
      if (repeats === 0) continue
      writeLine(atMs, { ...line, repeats })
      counted.set(key, { sinceMs: atMs, repeats: 0, line })
    }
  }
  const level =
    (name: string) =>
    (event: string, fields: LogFields = {}): void => {
      const atMs = nowMs()
      const line = { level: name, event, ...fields }
      writeRepeats(atMs)
      if (fields['error'] === undefined) return writeLine(atMs, line)
      const key = JSON.stringify([name, event, fields['error']], bigintAsText)
      const before = counted.get(key)
      if (before !== undefined) return void counted.set(key, { ...before, repeats: before.repeats + 1, line })
      if (counted.size < MOST_COUNTED) counted.set(key, { sinceMs: atMs, repeats: 0, line })
      writeLine(atMs, line)
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
