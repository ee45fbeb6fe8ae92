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

/**
 * The steps of a job that goes well are written together with those of others, this late at most: a write for each job
 * would cost as much as the rest of its log. All else is written in the turn of the event loop in which it came, with
 * what came before it.
 */
export const GATHER_MS = 5
const STEPS: ReadonlySet<string> = new Set([
  'execute',
  'payment verified',
  'input valid',
  'output valid',
  'completed',
])

/** Longer values are cut: what handlers throw is theirs to choose. */
const MAX_VALUE_CHARACTERS = 2_000

/**
 * Makes a log that writes whole lines, several at a time. What is still buffered is written when the process exits, by an
 * error that nobody caught too; `kill -9` may lose the steps of the last five milliseconds.
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
      // A process that ends by itself need not wait for it.
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
function textLine({ level, event, jobId, fields, hide }: Entry): string {
  let line = level === 'warn' ? 'warning: ' : ''
  line += STEPS.has(event) ? event : escaped(shortened(event, hide))
  const isLast = isJobLast(event)
  if (jobId !== undefined && !isLast) line += ` job=${textValue(jobId, hide)}`
  for (const name of Object.keys(fields)) line += ` ${name}=${textValue(fields[name], hide)}`
  if (jobId !== undefined && isLast) line += ` job=${textValue(jobId, hide)}`
  return `${line}\n`
}

/** The interface has `output valid ms=<n>`, so there the job comes last. */
function isJobLast(event: string): boolean {
  return event === 'output valid'
}

/** Ids, amounts, hashes: with nothing in them to quote, to escape or to cut. */
const PLAIN = /^[\w.:-]{1,200}$/

function textValue(value: LogFields[string] | undefined, hide: (text: string) => string): string {
  const text = String(value)
  return PLAIN.test(text) ? text : escaped(quoted(shortened(text, hide)))
}

function jsonLine({ level, event, jobId, fields, hide, nowMs }: Entry): string {
  const entry: { [name: string]: unknown } = {
    time: new Date(nowMs()).toISOString(),
    level,
    event: shortened(event, hide),
  }
  if (jobId !== undefined && !isJobLast(event)) entry['job'] = shortened(jobId, hide)
  for (const [name, value] of Object.entries(fields))
    entry[name] = typeof value === 'string' ? shortened(value, hide) : value
  if (jobId !== undefined && isJobLast(event)) entry['job'] = shortened(jobId, hide)
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
