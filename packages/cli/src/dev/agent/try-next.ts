import { printable } from '@farebox/conformance/internal/printable'
import type { Declaration } from '@farebox/protocol/declaration/declaration'
import type { JsonObject } from '@farebox/protocol/fields/field'
import { sample } from '@farebox/protocol/samples/sample'

export interface SampleJob {
  readonly capability: string
  readonly input: JsonObject
}

/**
 * The capability whose sample input is shortest, with that input: what fits into a terminal. Undefined where no
 * input can be made up for any of them.
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

/** 2100-01-01: a line that is still good when it is found in a shell's history. */
const FAR_DEADLINE = 4_102_444_800

/** Longer inputs fill the screen and help nobody. */
const MAX_INPUT_CHARACTERS = 1_000

/**
 * Lines to copy: `curl` and `farebox call` for one job. For a shell of the POSIX kind.
 *
 * @param jobId a UUID v4; a repeat of it is answered from the store (D22)
 */
export function tryNext(declaration: Declaration, url: string, jobId: string): readonly string[] {
  const job = sampleJob(declaration)
  const call = payNext(declaration, url)
  return job === undefined || lengthOf(job) > MAX_INPUT_CHARACTERS
    ? call
    : [...curlLines(job, url, jobId), ...call]
}

/**
 * The line of {@link tryNext} that pays: where jobs cost something, `curl` would only be told the price.
 *
 * @param economy what `FAREBOX_LOCAL` is; another terminal finds the test wallet by it
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

/** By flags where every field is a single word or number; else as the JSON it is. */
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

/** JSON as one line that shows whatever is in it: what could move a cursor is escaped, which JSON allows. */
function json(value: unknown): string {
  return JSON.stringify(value).replaceAll(/[\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g, character => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  })
}

function quote(word: string): string {
  return /^[\w./:@%+=,-]+$/.test(word) ? word : `'${inQuotes(printable(word))}'`
}

/** Within single quotes only their end is special. */
function inQuotes(text: string): string {
  return text.replaceAll("'", String.raw`'\''`)
}
