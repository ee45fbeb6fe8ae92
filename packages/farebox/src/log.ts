/** Writes an agent's events, one line per event (D27). */
export interface Log {
  /** A step of a job, with the event names of the interface: `execute job=… capability=…`. */
  job(event: string, jobId: string, fields?: LogFields): void
  /** Any other event. */
  note(event: string, fields?: LogFields): void
  /** An event that needs the attention of the operator. */
  warn(event: string, fields?: LogFields): void
  /** Writes the buffered lines. */
  flush(): void
}

/** Fields of an event: short, and never a secret or a payment header. */
export type LogFields = { readonly [name: string]: string | number | boolean }

/** `text`: the lines of the interface. `json`: one object per line, with the same event name in `event`. */
export type LogFormat = 'text' | 'json'

/**
 * The lines of a successful job's steps are buffered for at most this time and written together with those of other
 * jobs, because a write for each job would cost as much as the rest of its log. Any other line is written in the same
 * turn of the event loop, together with the buffered ones before it.
 */
export const GATHER_MS = 5
const STEPS: ReadonlySet<string> = new Set([
  'execute',
  'payment verified',
  'input valid',
  'output valid',
  'completed',
])

/** Longer values are truncated, because handlers choose the texts of their errors. */
const MAX_VALUE_CHARACTERS = 2_000

/**
 * Makes a log that writes whole lines, several at a time. Buffered lines are written when the process exits, also after
 * an uncaught error; `kill -9` may lose the steps of the last five milliseconds. Line breaks and control characters are
 * escaped, so that no value can forge a line.
 *
 * @param options.hide the last filter before lines are written: `createRedactor` with the process's secrets. Lines
 *   should contain no secrets, but they also contain texts of handlers and servers, whose content is unknown.
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
  let timer: NodeJS.Timeout | undefined
  let isUrgent = false
  const flush = (): void => {
    if (waiting === '') return
    const lines = waiting
    waiting = ''
    isUrgent = false
    clearTimeout(timer)
    process.off('exit', flush)
    options.write(hide(lines))
  }
  const write = (level: Level, event: string, fields: LogFields, jobId?: string): void => {
    if (waiting === '') {
      process.on('exit', flush)
      // A process that exits does not need to wait for the timer: the exit handler writes the lines.
      timer = setTimeout(flush, GATHER_MS).unref()
    }
    if (!isUrgent && !(level === 'info' && STEPS.has(event))) {
      isUrgent = true
      setImmediate(flush)
    }
    waiting += format({ level, event, jobId, fields, hide, nowMs: options.nowMs })
  }
  return {
    job: (event, jobId, fields = NO_FIELDS) => write('info', event, fields, jobId),
    note: (event, fields = NO_FIELDS) => write('info', event, fields),
    warn: (event, fields = NO_FIELDS) => write('warn', event, fields),
    flush,
  }
}

const NO_FIELDS: LogFields = {}

function asItIs(text: string): string {
  return text
}

type Level = 'info' | 'warn'

interface Entry {
  readonly level: Level
  readonly event: string
  readonly jobId: string | undefined
  readonly fields: LogFields
  readonly hide: (text: string) => string
  readonly nowMs: () => number
}

/** `output valid ms=3 job=…` */
function textLine(entry: Entry): string {
  const { level, event, hide } = entry
  let line = level === 'warn' ? 'warning: ' : ''
  line += STEPS.has(event) ? event : escaped(shortened(event, hide))
  const ordered = orderedFields(entry)
  for (const name of Object.keys(ordered)) line += ` ${name}=${textValue(ordered[name], hide)}`
  return `${line}\n`
}

/** The job id comes first, except that the interface specifies `output valid ms=<n>`. */
function orderedFields({ event, jobId: job, fields }: Pick<Entry, 'event' | 'jobId' | 'fields'>): LogFields {
  if (job === undefined) return fields
  const { ms, ...others } = event === 'output valid' ? fields : NO_FIELDS
  return ms === undefined ? { job, ...fields } : { ms, job, ...others }
}

/** Ids, keys, amounts and hashes, which need no quotes, no escapes and no truncation. */
const PLAIN = /^[\w.:-]+$/
const MAX_PLAIN_CHARACTERS = 200

function textValue(value: LogFields[string] | undefined, hide: (text: string) => string): string {
  const text = String(value)
  return text.length <= MAX_PLAIN_CHARACTERS && PLAIN.test(text)
    ? text
    : escaped(quoted(shortened(text, hide)))
}

function jsonLine(entry: Entry): string {
  const { level, event, hide, nowMs } = entry
  const written: { [name: string]: unknown } = {
    time: new Date(nowMs()).toISOString(),
    level,
    event: shortened(event, hide),
  }
  for (const [name, value] of Object.entries(orderedFields(entry)))
    written[name] = typeof value === 'string' ? shortened(value, hide) : value
  return `${JSON.stringify(written)}\n`
}

/** Secrets are hidden before the value is truncated, because a truncated secret is not recognized. */
function shortened(value: string, hide: (text: string) => string): string {
  return value.length > MAX_VALUE_CHARACTERS ? `${hide(value).slice(0, MAX_VALUE_CHARACTERS)}…` : value
}

/** Quotes values with blanks, which could otherwise be read as further fields. */
function quoted(value: string): string {
  return /[\s"=]/.test(value) || value === '' ? `"${value.replace(/["\\]/g, '\\$&')}"` : value
}

/** Everything that could end a line, move a terminal's cursor or turn its text around. */
// eslint-disable-next-line no-control-regex -- control characters are what is looked for
const UNSAFE = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g

function escaped(value: string): string {
  return value.replace(UNSAFE, character => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
