import { describeError } from '@farebox/server/log'
import type { GivenEvent } from '../../checking/run-messages.ts'
import type { PlatformParts } from '../../platform-parts.ts'
import { changeRun } from '../records/change-run.ts'
import { noteNews, releaseRun, RUN_LEASE_MS } from '../records/run-leases.ts'
import type { RunRow } from '../records/run-row.ts'
import { giveUp } from '../records/sent-jobs.ts'
import type { Activities } from './activities.ts'
import { askPriceOfJob } from './ask-price-of-job.ts'
import { hearJobs, type UnorderedJob } from './hear-jobs.ts'
import type { OrderJobOfRun } from './order-job-of-run.ts'

/** What driving runs takes besides the parts. */
export interface DriveMeans {
  readonly holder: string
  readonly signal: AbortSignal
  readonly activities: Activities
  readonly order: OrderJobOfRun
}

/** Where there is no room for all that a run wants done, it is looked at again then. */
const NO_ROOM_MS = 500

/**
 * Does for a run what is due: tells it what has become of its jobs, begins to ask for prices and to write orders, and lets
 * it go. All that is begun is found again from what is stored, so that whoever takes the run after a crash does the same,
 * and doing it twice changes nothing: prices are asked unpaid, a job_id is ordered once, an attempt is retried once.
 */
export async function driveRun(parts: PlatformParts, means: DriveMeans, taken: RunRow): Promise<void> {
  const { run, unordered } = await hearAll(parts, taken)
  const isPaused = run.plan.control !== 'running'
  let hasRoom = true
  if (!isPaused)
    for (const quote of run.plan.quotes) {
      const work = (): Promise<void> => askAndTell(parts, means, run, quote)
      hasRoom = means.activities.begin(run.runId, `price ${quote.key}`, work) && hasRoom
    }
  for (const job of unordered) {
    // A pause stops ordering; after a cancellation what has not left is given up.
    if (run.plan.control === 'paused') continue
    const work = (): Promise<void> =>
      run.plan.control === 'cancelled' && !job.isRetry
        ? giveUpAndNote(parts, run, job.jobId, 'The run was cancelled before this order was written down.')
        : orderAndNote(parts, means, run, job)
    hasRoom = means.activities.begin(run.runId, `order ${job.jobId}`, work) && hasRoom
  }
  const dueAtMs = dueAt(parts, means, run, hasRoom)
  if (await releaseRun(parts.database, run, { holder: means.holder, dueAtMs })) parts.due.runs.notify()
}

/** Tells a run all that is news, until there is none: what one step ends may begin another. */
async function hearAll(
  parts: PlatformParts,
  taken: RunRow,
): Promise<{ readonly run: RunRow; readonly unordered: readonly UnorderedJob[] }> {
  let run = taken
  for (;;) {
    const { events, unordered } = await hearJobs(parts, run)
    const { wakeAt } = run.plan
    const isTime = wakeAt !== null && wakeAt <= parts.clock.nowMs() / 1_000
    const given: readonly GivenEvent[] = isTime ? [...events, { event: 'woken' }] : events
    const { revision } = run
    if (given.length > 0) run = await changeRun(parts, run.runId, { events: given }, run)
    if (run.revision === revision) return { run, unordered }
  }
}

function dueAt(
  { clock }: PlatformParts,
  { activities }: DriveMeans,
  run: RunRow,
  hasRoom: boolean,
): number | undefined {
  const times: number[] = []
  // What was not changed by its time has another look, not the same one at once.
  if (run.plan.wakeAt !== null) times.push(Math.max(run.plan.wakeAt * 1_000, clock.nowMs() + NO_ROOM_MS))
  if (!hasRoom) times.push(clock.nowMs() + NO_ROOM_MS)
  // Should this process end, somebody else begins the same again.
  else if (activities.isUnderWay(run.runId)) times.push(clock.nowMs() + RUN_LEASE_MS)
  return times.length === 0 ? undefined : Math.min(...times)
}

async function askAndTell(
  parts: PlatformParts,
  { signal }: DriveMeans,
  run: RunRow,
  { key, agentId, capability }: RunRow['plan']['quotes'][number],
): Promise<void> {
  await logged(parts, run, async () => {
    const asked = await askPriceOfJob(parts, { agentId, capability }, signal)
    if (signal.aborted) return
    const said = 'reason' in asked ? { quote: undefined, reason: asked.reason } : { quote: asked }
    await changeRun(parts, run.runId, { events: [{ event: 'quoted', key, ...said }] })
  })
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
        return await noteNews(parts.database, run.runId)
      case 'never': {
        if (!job.isRetry) return await giveUpAndNote(parts, run, job.jobId, outcome.reason)
        const { key, jobId: job_id, attempt } = job
        const event = { event: 'unsent', key, job_id, attempt, error: outcome.reason } as const
        await changeRun(parts, run.runId, { events: [event] })
      }
    }
  })
  parts.due.runs.notify()
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

/** What fails is begun again when the run is due the next time. */
async function logged({ log }: PlatformParts, run: RunRow, work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    log.error('a step of a run was not done', { run: run.runId, error: describeError(error) })
  }
}
