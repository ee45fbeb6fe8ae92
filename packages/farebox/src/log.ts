/** Where an agent's events are written: one line an event (D27). */
export interface Log {
  /** A step of a job, in the interface's own words: `execute job=… capability=…`. */
  job(event: string, jobId: string, fields?: LogFields): void
  /** Anything else worth a line. */
  note(event: string, fields?: LogFields): void
  /** Something a person should look at. */
  warn(event: string, fields?: LogFields): void
  /** Writes what is still buffered. */
  flush(): void
}

/** What belongs to an event: short, and never a secret or a payment header. */
export type LogFields = { readonly [name: string]: string | number | boolean }

/** `text`: the interface's lines. `json`: one object a line, with the same words in `event`. */
export type LogFormat = 'text' | 'json'

/** Longer values are cut: what handlers throw is theirs to choose. */
const MAX_VALUE_CHARACTERS = 2_000

/**
 * Makes a log that writes whole lines, several at a time: a write for each would cost more than the job.
 * Line breaks and control characters are escaped, so that no value can forge a line.
 *
 * @param options.hide the last filter before lines are written, `createRedactor` of the process's secrets. What is
 *   logged is chosen so that there is nothing to hide; but others' words are logged too, and nobody knows what they say.
 */
export function createLog(options: {
  readonly format: LogFormat
  readonly write: (lines: string) => void
  readonly nowMs: () => number
  readonly hide?: (text: string) => string
}): Log {
  const { hide = asItIs } = options
  const format = options.format === 'json' ? jsonLine : textLine
  let waiting = ''
  const flush = (): void => {
    const lines = waiting
    waiting = ''
    if (lines !== '') options.write(hide(lines))
  }
  const write = (level: Level, event: string, fields: LogFields): void => {
    if (waiting === '') setImmediate(flush)
    waiting += format({ level, event, fields, hide, nowMs: options.nowMs })
  }
  return {
    job: (event, jobId, fields) =>
      // The interface has `output valid ms=<n>`, so there the job comes last.
      write('info', event, event === 'output valid' ? { ...fields, job: jobId } : { job: jobId, ...fields }),
    note: (event, fields = {}) => write('info', event, fields),
    warn: (event, fields = {}) => write('warn', event, fields),
    flush,
  }
}

function asItIs(text: string): string {
  return text
}

type Level = 'info' | 'warn'

interface Entry {
  readonly level: Level
  readonly event: string
  readonly fields: LogFields
  readonly hide: (text: string) => string
  readonly nowMs: () => number
}

/** `output valid ms=3 job=…` */
function textLine({ level, event, fields, hide }: Entry): string {
  const words = escaped(shortened(event, hide))
  let line = level === 'warn' ? `warning: ${words}` : words
  for (const name of Object.keys(fields))
    line += ` ${name}=${escaped(quoted(shortened(String(fields[name]), hide)))}`
  return `${line}\n`
}

function jsonLine({ level, event, fields, hide, nowMs }: Entry): string {
  const entry: { [name: string]: unknown } = {
    time: new Date(nowMs()).toISOString(),
    level,
    event: shortened(event, hide),
  }
  for (const [name, value] of Object.entries(fields))
    entry[name] = typeof value === 'string' ? shortened(value, hide) : value
  return `${JSON.stringify(entry)}\n`
}

/** What is hidden is hidden before the cut: half a secret is no longer known for one. */
function shortened(value: string, hide: (text: string) => string): string {
  return value.length > MAX_VALUE_CHARACTERS ? `${hide(value).slice(0, MAX_VALUE_CHARACTERS)}…` : value
}

/** Unquoted, a value with a blank in it could pass for a field of its own. */
function quoted(value: string): string {
  return /[\s"=]/.test(value) || value === '' ? `"${value.replace(/["\\]/g, '\\$&')}"` : value
}

/** Everything that could end a line, move a terminal's cursor or turn its text around. */
// eslint-disable-next-line no-control-regex -- control characters are what is looked for
const UNSAFE = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g

function escaped(value: string): string {
  return value.replace(UNSAFE, character => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
