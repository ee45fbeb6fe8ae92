import type { GivenEvent, RunPlan, WrittenRun } from '../../checking/run-messages.ts'
import type { PlatformParts } from '../../platform-parts.ts'
import type { JobOutcome } from '../../work/due-work.ts'
import { advance, writeRun, type WrittenRow } from '../records/change-run.ts'
import { leaveRun, RUN_LEASE_MS, type Leave } from '../records/run-leases.ts'
import { originOf, sizeOfRun, type RunRow } from '../records/run-row.ts'
import { readRun } from '../records/run-store.ts'
import type { DrivenRun } from './active-runs.ts'
import { askPrices } from './ask-prices.ts'
import { beginOrders } from './begin-orders.ts'
import type { Drive, DriveMeans } from './drive-step.ts'
import { hearJobs, hearOutcomes, type HeardJobs, type UnorderedJob } from './hear-jobs.ts'

/** Where there is no room for all that a run wants done, it is looked at again then. */
const NO_ROOM_MS = 500

/**
 * Does for a run what is due. All that is begun is found again from what is stored, so that the process that takes the run
 * after a crash does the same, and doing it twice changes nothing: prices are asked unpaid, a job_id is ordered once, an
 * attempt is retried once.
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
  let settle = (_row?: WrittenRow): void => {}
  const written = new Promise<WrittenRow | undefined>(resolve => (settle = resolve))
  try {
    const row = await takeOn({ parts, means, run, written }, heard ?? (await hearJobs(parts, run)))
    settle(row)
    return row
  } finally {
    settle()
  }
}

async function takeOn(drive: Drive, { events, unordered }: HeardJobs): Promise<LeftRow | undefined> {
  const { parts, means, run } = drive
  // What is known: what has become of the run's jobs, and whether its time has come.
  const wakesMs = wakesAtMs(means, run)
  const isTime = wakesMs !== undefined && wakesMs <= parts.clock.nowMs()
  const given: readonly GivenEvent[] = isTime ? [...events, { event: 'woken' }] : events
  // What is wanted: prices, of the jobs that most likely come next before it is certain, so that one look tells it all.
  const early = await askPrices(drive, expectedQuotes(run.plan, given))
  const advanced = await hear(parts, { ...run, inputs: [] }, [...given, ...early.events])
  const late = await askPrices(drive, advanced.plan.control === 'running' ? advanced.plan.quotes : [])
  const next = await hear(parts, advanced, late.events)
  const orders = dueOrders(next, unordered)
  // What is done: orders are begun before the run is let go, so that it is known by then whether there is room.
  const hasOrdered = beginOrders(drive, next, orders)
  const hasRoom = early.hasRoom() && late.hasRoom() && hasOrdered
  if (isTime && run.startedFrom !== undefined) means.writes.count(originOf(run), sizeOfRun(next))
  const leave = {
    holder: means.holder,
    dueAtMs: dueAt(parts, means, next, hasRoom),
    keptUntilMs: isAwaited(next) && means.mayKeep(next) ? parts.clock.nowMs() + RUN_LEASE_MS : undefined,
  }
  const row = await write(parts, run, next, leave)
  return row && { ...row, dueAtMs: leave.dueAtMs }
}

/** A run as it may be written, and what the jobs are sent that have just become to be sent. */
type NextRun = RunRow & WrittenRun

/** What becomes of a run by events, without writing it. */
async function hear(parts: PlatformParts, run: NextRun, events: readonly GivenEvent[]): Promise<NextRun> {
  if (events.length === 0) return run
  const { state, maxTotal, plan, inputs } = await advance(parts, run, events)
  return { ...run, state, maxTotal, plan, inputs: [...run.inputs, ...inputs] }
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

/** What was to be ordered before, and what is since now. */
function dueOrders({ inputs, plan }: NextRun, unordered: readonly UnorderedJob[]): readonly UnorderedJob[] {
  const added = new Set(inputs.map(({ jobId }) => jobId))
  return [
    ...unordered.filter(({ jobId }) => !added.has(jobId)),
    ...plan.sent.filter(({ jobId }) => added.has(jobId)).map(sent => ({ ...sent, isRetry: false })),
  ]
}

/** Whether a job of the run is under way. */
function isAwaited({ plan }: RunRow): boolean {
  return plan.control === 'running' && plan.sent.some(({ state }) => state === 'sent')
}

/** From when on time alone changes the run: as it wishes where something of it was paid, else within its origin's rate. */
function wakesAtMs({ writes }: DriveMeans, run: RunRow): number | undefined {
  const { wakeAt } = run.plan
  if (wakeAt === null) return undefined
  return Math.max(wakeAt * 1_000, run.startedFrom === undefined ? 0 : writes.freeAt(originOf(run)))
}

function dueAt(
  { clock }: PlatformParts,
  means: DriveMeans,
  run: RunRow,
  hasRoom: boolean,
): number | undefined {
  const nowMs = clock.nowMs()
  const times: number[] = []
  const wakesMs = wakesAtMs(means, run)
  // What was not changed by its time has another look, not the same one at once.
  if (wakesMs !== undefined) times.push(Math.max(wakesMs, nowMs + NO_ROOM_MS))
  if (!hasRoom) times.push(nowMs + NO_ROOM_MS)
  // Should this process end, somebody else begins the same again.
  else if (means.activities.isUnderWay(run.runId)) times.push(nowMs + RUN_LEASE_MS)
  return times.length === 0 ? undefined : Math.min(...times)
}

/** Writes a run that has changed, and lets it go or keeps it. */
async function write(
  parts: PlatformParts,
  run: RunRow,
  next: NextRun,
  leave: Leave,
): Promise<WrittenRow | undefined> {
  if (next.state !== run.state || next.maxTotal !== run.maxTotal)
    return await writeRun(parts, run, next, { leave })
  const left = await leaveRun(parts.database, run, leave)
  if (left.is_due) parts.due.runs.notify()
  return { run, orders: new Map(), isKept: left.is_kept }
}
