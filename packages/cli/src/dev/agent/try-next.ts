import { printable } from '@farebox/conformance/internal/printable'
import type { Declaration } from '@farebox/protocol/declaration/declaration'
import type { JsonObject } from '@farebox/protocol/fields/field'
import { sample } from '@farebox/protocol/samples/sample'

export interface SampleJob {
  readonly capability: string
  readonly input: JsonObject
}

/**
 * Returns the capability with the shortest sample input, and that input, so that it fits into a terminal. Returns
 * `undefined` when no input can be generated for any capability.
 */
function sampleJob(declaration: Declaration): SampleJob | undefined {
  const jobs = Object.entries(declaration.capabilities).flatMap(([capability, { input_schema: fields }]) => {
    const made = sample(fields, 'input')
    return made.ok ? [{ capability, input: made.value }] : []
  })
  return jobs.reduce<SampleJob | undefined>(
    (best, job) => (best === undefined || lengthOf(job) < lengthOf(best) ? job : best),
    undefined,
  )
}

/** 2100-01-01, so that the line still works when it is found in a shell's history. */
const FAR_DEADLINE = 4_102_444_800

/** Longer inputs fill the screen without being useful. */
const MAX_INPUT_CHARACTERS = 1_000

/**
 * Lines to copy: `curl` and `farebox call` for one job, for a POSIX shell.
 *
 * @param jobId a UUID v4; a repeat of the same job is answered from the store (D22)
 */
export function tryNext(declaration: Declaration, url: string, jobId: string): readonly string[] {
  const job = sampleJob(declaration)
  const call = payNext(declaration, url)
  return job === undefined || lengthOf(job) > MAX_INPUT_CHARACTERS
    ? call
    : [...curlLines(job, url, jobId), ...call]
}

/**
 * The line of {@link tryNext} that pays: when jobs cost money, `curl` would only receive the price.
 *
 * @param economy the value of `FAREBOX_LOCAL`, through which another terminal finds the test wallet
 */
export function payNext(declaration: Declaration, url: string, economy = ''): readonly string[] {
  const job = sampleJob(declaration)
  const [first = ''] = Object.keys(declaration.capabilities)
  const command = `${economy === '' ? '' : `FAREBOX_LOCAL=${quote(economy)} `}farebox call ${url}`
  if (job === undefined || lengthOf(job) > MAX_INPUT_CHARACTERS)
    return [`${command} ${quote(job?.capability ?? first)} --dry-run`]
  return [`${command} ${quote(job.capability)} ${callInput(job)}`.trimEnd()]
}

function curlLines({ capability, input }: SampleJob, url: string, jobId: string): readonly string[] {
  const body = [
    `{ "service_version": "1.0", "job_id": "${jobId}", "deadline": ${FAR_DEADLINE},`,
    `  "task": { "capability": ${json(capability)}, "input": ${json(input)} } }`,
  ]
  const [first = '', last = ''] = body.map(inQuotes)
  return [`curl -s ${url}/execute -H 'content-type: application/json' -d '${first}`, `${last}'`]
}

/** Formats the input as flags when every field is a single word or number, else as JSON. */
function callInput({ input }: SampleJob): string {
  const fields = Object.entries(input)
  const areFlags = fields.every(
    ([name, value]) => /^[a-z][\w-]*$/i.test(name) && ['string', 'number'].includes(typeof value),
  )
  if (!areFlags) return quote(json(input))
  return fields.map(([name, value]) => `--${name} ${quote(String(value))}`).join(' ')
}

function lengthOf({ input }: SampleJob): number {
  return JSON.stringify(input).length
}

/** Formats JSON as one printable line: characters that could move a cursor are escaped, which JSON allows. */
function json(value: unknown): string {
  return JSON.stringify(value).replaceAll(/[\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g, character => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  })
}

function quote(word: string): string {
  return /^[\w./:@%+=,-]+$/.test(word) ? word : `'${inQuotes(printable(word))}'`
}

/** Within single quotes only the closing quote is special. */
function inQuotes(text: string): string {
  return text.replaceAll("'", String.raw`'\''`)
}
