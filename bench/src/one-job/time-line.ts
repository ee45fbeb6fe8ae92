import type { Part } from '../report/bench.ts'
import type { Exchange } from './recording-proxy.ts'

/** From when to when, in milliseconds. */
export interface Span {
  readonly beginMs: number
  readonly endMs: number
}

/** What was seen of one job from outside: its request, and the calls that were made meanwhile. */
export interface SeenJob extends Span {
  /** Agent to facilitator. */
  readonly calls: readonly Exchange[]
  /** Facilitator to the node of the chain. */
  readonly chain: readonly Exchange[]
  /** Facilitator to PostgreSQL. */
  readonly database: readonly Exchange[]
}

/**
 * Divides the time of a job among those who spent it; the parts add up to the whole. Where the facilitator asks chain and
 * database at the same time, that is the chain's. A part that does not occur is 0.
 */
export function divideJob(job: SeenJob): readonly Part[] {
  const verify = callOf(job, '/verify')
  const settle = callOf(job, '/settle')
  if (settle === undefined) throw new Error('a job was answered and /settle was not asked')
  const firstCall = verify ?? settle
  return [
    { who: 'agent', name: 'agent: reads and claims', ms: firstCall.beginMs - job.beginMs },
    ...divideCall('/verify', verify, job),
    {
      who: 'agent',
      name: 'agent: runs and saves',
      ms: verify === undefined ? 0 : settle.beginMs - verify.endMs,
    },
    ...divideCall('/settle', settle, job),
    { who: 'agent', name: 'agent: records, answers', ms: job.endMs - settle.endMs },
  ]
}

/** From the first to the last, where it is asked more than once. */
function callOf({ calls }: SeenJob, path: string): Span | undefined {
  const asked = calls.filter(call => call.asked.startsWith(`POST ${path} `))
  const [first, last] = [asked[0], asked.at(-1)]
  return first && last && { beginMs: first.beginMs, endMs: last.endMs }
}

function divideCall(name: string, call: Span | undefined, { chain, database }: SeenJob): readonly Part[] {
  const within = (...exchanges: readonly (readonly Exchange[])[]): number =>
    call === undefined ? 0 : coveredMs(call, exchanges.flat())
  const chainMs = within(chain)
  const askingMs = within(chain, database)
  return [
    { who: 'chain', name: `${name}: chain`, ms: chainMs },
    { who: 'database', name: `${name}: PostgreSQL`, ms: askingMs - chainMs },
    {
      who: 'facilitator',
      name: `${name}: facilitator`,
      ms: call === undefined ? 0 : call.endMs - call.beginMs - askingMs,
    },
  ]
}

/** How much of a span is covered by at least one of the others. */
export function coveredMs(span: Span, others: readonly Span[]): number {
  let covered = 0
  let reachedMs = span.beginMs
  for (const { beginMs, endMs } of [...others].sort((one, other) => one.beginMs - other.beginMs)) {
    const from = Math.max(reachedMs, beginMs)
    const to = Math.min(span.endMs, endMs)
    if (to <= from) continue
    covered += to - from
    reachedMs = to
  }
  return covered
}

/** The mean of each part over the jobs in the middle, by their whole time: so they add up to about the median. */
export function middleParts(jobs: readonly SeenJob[]): readonly Part[] {
  const sorted = [...jobs].sort((one, other) => lengthOf(one) - lengthOf(other))
  const middle = sorted.slice(Math.floor(sorted.length * 0.4), Math.ceil(sorted.length * 0.6)).map(divideJob)
  const [first = []] = middle
  return first.map(({ who, name }, index) => ({
    who,
    name,
    ms: middle.reduce((sum, parts) => sum + (parts[index]?.ms ?? 0), 0) / middle.length,
  }))
}

function lengthOf({ beginMs, endMs }: Span): number {
  return endMs - beginMs
}
