import { describeError } from '@farebox/server/log'
import type { GivenEvent, RunPlan, WrittenRun } from '../../checking/run-messages.ts'
import type { JobOutcome } from '../../notifier.ts'
import type { PlatformParts } from '../../platform-parts.ts'
import { advance, changeRun, writeRun, type WrittenRow } from '../records/change-run.ts'
import { leaveRun, noteNews, RUN_LEASE_MS } from '../records/run-leases.ts'
import { originOf, sizeOfRun, type RunRow } from '../records/run-row.ts'
import { readRun } from '../records/run-store.ts'
import { giveUp } from '../records/sent-jobs.ts'
import type { Activities } from './activities.ts'
import { askPriceOfJob } from './ask-price-of-job.ts'
import { hearJobs, hearOutcomes, type HeardJobs, type UnorderedJob } from './hear-jobs.ts'
import type { OrderJobOfRun } from './order-job-of-run.ts'
import type { DrivenRun } from './active-runs.ts'
import type { WritePace } from '../records/write-pace.ts'

/** What driving runs takes besides the parts. */
export interface DriveMeans {
  readonly holder: string
  readonly signal: AbortSignal
  readonly activities: Activities
  readonly order: OrderJobOfRun
  /** For runs of which nothing was paid: their waits cost their origin, and nobody else. */
  readonly writes: WritePace
  /** Whether there is room to keep a run until something becomes of its jobs. */
  mayKeep(run: RunRow): boolean
}

/** Where there is no room for all that a run wants done, it is looked at again then. */
const NO_ROOM_MS = 500
/** So long a change of a run waits for the prices that it has asked for, to be written down with them. */
export const PRICES_WITHIN_MS = 50

/**
 * Does for a run what is due: tells it what has become of its jobs, asks for the prices of those that come next, writes both
 * down, begins to order, and lets it go or keeps it. All that is begun is found again from what is stored, so that whoever
 * takes the run after a crash does the same, and doing it twice changes nothing: prices are asked unpaid, a job_id is ordered
 * once, an attempt is retried once.
 *
 * @param outcomes what this process has done for jobs of the run; undefined: their rows are looked at
 * @returns the run where it is kept
 */
export async function driveRun(
  parts: PlatformParts,
  means: DriveMeans,
  known: RunRow,
  outcomes?: readonly JobOutcome[],
): Promise<DrivenRun | undefined> {
  const heard = outcomes && hearOutcomes(known, outcomes)
  let row = await driveOnce(parts, means, known, heard)
  while (row === undefined) {
    const run = await readRun(parts.database, known.runId)
    if (run === undefined) return undefined
    row = await driveOnce(parts, means, run)
  }
  return row.isKept ? row : undefined
}

/** A run as a look has left it. */
type LeftRow = WrittenRow & DrivenRun

/** @returns undefined where somebody has changed the run meanwhile: what was worked out is of no use then */
async function driveOnce(
  parts: PlatformParts,
  means: DriveMeans,
  run: RunRow,
  heard?: HeardJobs,
): Promise<LeftRow | undefined> {
  const writing = deferred<WrittenRow | undefined>()
  try {
    const row = await writeNews(parts, means, run, {
      heard: heard ?? (await hearJobs(parts, run)),
      written: writing.promise,
    })
    writing.resolve(row)
    return row
  } finally {
    writing.resolve(undefined)
  }
}

/**
 * @param written resolves once this has; what is begun here and ends later goes on from there, and comes to nothing where
 *   that is undefined
 */
async function writeNews(
  parts: PlatformParts,
  means: DriveMeans,
  run: RunRow,
  {
    heard: { events, unordered },
    written,
  }: { readonly heard: HeardJobs; readonly written: Promise<WrittenRow | undefined> },
): Promise<LeftRow | undefined> {
  const { wakeAt } = run.plan
  const wakesFromMs = wakesFrom(means, run)
  const isTime = wakeAt !== null && Math.max(wakeAt * 1_000, wakesFromMs) <= parts.clock.nowMs()
  const given: readonly GivenEvent[] = isTime ? [...events, { event: 'woken' }] : events
  // With those of the jobs that most likely come next, one look at the run tells it all.
  const early = await askPrices(parts, means, run, { quotes: expectedQuotes(run.plan, given), written })
  const heard = await hear(parts, run, [...given, ...early.events])
  const quotes = heard.plan.control === 'running' ? heard.plan.quotes : []
  const late = await askPrices(parts, means, run, { quotes, written })
  const after = await hear(parts, { ...run, ...heard }, late.events)
  const inputs = [...heard.inputs, ...after.inputs]
  const isNew = (jobId: string): boolean => inputs.some(input => input.jobId === jobId)
  const due = [
    ...unordered.filter(({ jobId }) => !isNew(jobId)),
    ...after.plan.sent.filter(({ jobId }) => isNew(jobId)).map(sent => ({ ...sent, isRetry: false })),
  ]
  // Begun before the run is let go, so that it is known by then whether there is room.
  const hasOrdered = beginOrders(parts, means, { ...run, ...after }, { due, written })
  const hasRoom = early.hasRoom && late.hasRoom && hasOrdered
  const next = { ...run, ...after }
  if (isTime && run.startedFrom !== undefined) means.writes.count(originOf(run), sizeOfRun(next))
  const leave = {
    holder: means.holder,
    dueAtMs: dueAt(parts, means, next, hasRoom),
    keptUntilMs: isAwaited(next) && means.mayKeep(next) ? parts.clock.nowMs() + RUN_LEASE_MS : undefined,
  }
  const { dueAtMs } = leave
  if (after.state !== run.state || after.maxTotal !== run.maxTotal) {
    const row = await writeRun(parts, run, { ...after, inputs }, { leave })
    return row && { ...row, dueAtMs }
  }
  const left = await leaveRun(parts.database, run, leave)
  if (left.is_due) parts.due.runs.notify()
  return { run, orders: new Map(), isKept: left.is_kept, dueAtMs }
}

/** Whether a job of the run is under way. */
function isAwaited({ plan }: RunRow): boolean {
  return plan.control === 'running' && plan.sent.some(({ state }) => state === 'sent')
}

/** What is asked for now, and what comes next after the jobs that have just been delivered. */
function expectedQuotes(
  { control, quotes, coming }: RunPlan,
  events: readonly GivenEvent[],
): RunPlan['quotes'] {
  if (control !== 'running') return []
  const delivered = new Set(events.flatMap(event => (event.event === 'delivered' ? [event.key] : [])))
  return [...quotes, ...coming.filter(({ after }) => after.every(key => delivered.has(key)))]
}

/** What becomes of a run by events, without writing it. */
async function hear(parts: PlatformParts, run: RunRow, events: readonly GivenEvent[]): Promise<WrittenRun> {
  const { state, maxTotal, plan } = run
  return events.length === 0 ? { state, maxTotal, plan, inputs: [] } : await advance(parts, run, events)
}

interface AskedPrices {
  /** What was answered soon; what comes later changes the run by itself. */
  readonly events: readonly GivenEvent[]
  /** Whether all could be begun, and none of it has failed so far. */
  readonly hasRoom: boolean
}

const ASKED_NONE: AskedPrices = { events: [], hasRoom: true }

async function askPrices(
  parts: PlatformParts,
  means: DriveMeans,
  run: RunRow,
  {
    quotes,
    written,
  }: { readonly quotes: RunPlan['quotes']; readonly written: Promise<WrittenRow | undefined> },
): Promise<AskedPrices> {
  if (quotes.length === 0) return ASKED_NONE
  const events: GivenEvent[] = []
  let isOpen = true
  let hasRoom = true
  const answers: Promise<void>[] = []
  for (const quote of quotes) {
    const answered = deferred<void>()
    let isBegun = false
    const work = async (): Promise<void> => {
      isBegun = true
      const isDone = await logged(parts, run, async () => {
        const event = await askPrice(parts, means, quote)
        if (event === undefined) return
        if (isOpen) events.push(event)
        // Until then the run does not know that a price is asked for.
        else if ((await written) !== undefined) await changeRun(parts, run.runId, { events: [event] })
      })
      // Nothing else makes the run due: it is asked for again as where there was no room.
      if (!isDone) hasRoom = false
      answered.resolve()
    }
    if (means.activities.begin({ ...run, agentId: quote.agentId }, `price ${quote.key}`, work)) {
      // One that was asked for before is not waited for again.
      if (isBegun) answers.push(answered.promise)
    } else hasRoom = false
  }
  const over = new AbortController()
  await Promise.race([Promise.all(answers), parts.clock.sleep(PRICES_WITHIN_MS, over.signal)])
  over.abort('over')
  isOpen = false
  return {
    events,
    get hasRoom() {
      return hasRoom
    },
  }
}

/** Undefined where this process ends: the next driver of the run asks again. */
async function askPrice(
  parts: PlatformParts,
  { signal }: DriveMeans,
  { key, agentId, capability }: RunPlan['quotes'][number],
): Promise<GivenEvent | undefined> {
  const asked = await askPriceOfJob(parts, { agentId, capability }, signal)
  if (signal.aborted) return undefined
  return 'reason' in asked
    ? { event: 'quoted', key, quote: undefined, reason: asked.reason }
    : { event: 'quoted', key, quote: asked }
}

/** @returns whether there is room for all that are to be ordered */
function beginOrders(
  parts: PlatformParts,
  means: DriveMeans,
  run: RunRow,
  {
    due,
    written,
  }: { readonly due: readonly UnorderedJob[]; readonly written: Promise<WrittenRow | undefined> },
): boolean {
  const { control } = run.plan
  let hasRoom = true
  for (const job of due) {
    // A pause stops ordering; after a cancellation what has not left is given up.
    if (control === 'paused') continue
    const work = async (): Promise<void> => {
      const row = await written
      if (row === undefined) return
      const order = row.orders.get(job.jobId)
      await (control === 'cancelled' && !job.isRetry
        ? giveUpAndNote(parts, run, job.jobId, 'The run was cancelled before this order was written down.')
        : orderAndNote(parts, means, run, { ...job, ...(order && { with: order }) }))
    }
    hasRoom = means.activities.begin({ ...run, agentId: job.agentId }, `order ${job.jobId}`, work) && hasRoom
  }
  return hasRoom
}

function deferred<T>(): { readonly promise: Promise<T>; readonly resolve: (value: T) => void } {
  let resolve = (_value: T): void => {}
  const promise = new Promise<T>(done => (resolve = done))
  return { promise, resolve }
}

function dueAt(
  { clock }: PlatformParts,
  means: DriveMeans,
  run: RunRow,
  hasRoom: boolean,
): number | undefined {
  const times: number[] = []
  // What was not changed by its time has another look, not the same one at once.
  if (run.plan.wakeAt !== null)
    times.push(Math.max(run.plan.wakeAt * 1_000, clock.nowMs() + NO_ROOM_MS, wakesFrom(means, run)))
  if (!hasRoom) times.push(clock.nowMs() + NO_ROOM_MS)
  // Should this process end, somebody else begins the same again.
  else if (means.activities.isUnderWay(run.runId)) times.push(clock.nowMs() + RUN_LEASE_MS)
  return times.length === 0 ? undefined : Math.min(...times)
}

/** From when on time alone may change the run: at once, where something of it was paid. */
function wakesFrom({ writes }: DriveMeans, run: RunRow): number {
  return run.startedFrom === undefined ? 0 : writes.freeAt(originOf(run))
}

async function orderAndNote(
  parts: PlatformParts,
  { order, signal }: DriveMeans,
  run: RunRow,
  job: UnorderedJob,
): Promise<void> {
  await logged(parts, run, async () => {
    const outcome = await order(run, job)
    switch (outcome.kind) {
      case 'ordered':
        return
      case 'later':
        await parts.clock.sleep(outcome.afterMs, signal)
        await noteNews(parts.database, run.runId)
        return parts.due.runs.notify()
      case 'never': {
        if (!job.isRetry) return await giveUpAndNote(parts, run, job.jobId, outcome.reason)
        const { key, jobId: job_id, attempt } = job
        const event = { event: 'unsent', key, job_id, attempt, error: outcome.reason } as const
        await changeRun(parts, run.runId, { events: [event] })
      }
    }
  })
}

async function giveUpAndNote(
  parts: PlatformParts,
  run: RunRow,
  jobId: string,
  reason: string,
): Promise<void> {
  await giveUp(parts.database, jobId, reason)
  await noteNews(parts.database, run.runId)
  parts.due.runs.notify()
}

/**
 * What fails is begun again when the run is due the next time.
 *
 * @returns whether it was done
 */
async function logged({ log }: PlatformParts, run: RunRow, work: () => Promise<void>): Promise<boolean> {
  try {
    await work()
    return true
  } catch (error) {
    log.error('a step of a run was not done', { run: run.runId, error: describeError(error) })
    return false
  }
}
