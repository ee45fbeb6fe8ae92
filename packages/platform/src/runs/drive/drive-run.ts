import type { GivenEvent, RunPlan, WrittenRun } from '../../checking/run-messages.ts'
import type { PlatformParts } from '../../platform-parts.ts'
import type { JobOutcome } from '../../work/due-work.ts'
import { advanceStoredRun, writeRun, type WrittenRow } from '../records/change-run.ts'
import { leaveRun, RUN_LEASE_MS, type Leave } from '../records/run-leases.ts'
import { originOf, sizeOfRun, type RunRow } from '../records/run-row.ts'
import { readRunRow } from '../records/run-store.ts'
import type { DrivenRun } from './active-runs.ts'
import { askPrices } from './ask-prices.ts'
import { beginOrders } from './begin-orders.ts'
import type { Drive, DriveMeans } from './drive-step.ts'
import { readJobOutcomes, takeJobOutcomes, type JobOutcomes, type UnorderedJob } from './job-outcomes.ts'

/** A run that the limits held back is due again after this time. */
const NO_ROOM_MS = 500

/**
 * Performs the due steps of a run. Every step started here can be found again in the stored data, so the process that
 * leases the run after a crash repeats it; a repetition changes nothing, because prices are requested without payment,
 * a job_id is ordered once, and an attempt is retried once.
 *
 * @param outcomes - the outcomes of the run's jobs in this process; undefined to read them from the database
 * @returns the run if it is kept, else undefined
 */
export async function driveRun(
  parts: PlatformParts,
  means: DriveMeans,
  known: RunRow,
  outcomes?: readonly JobOutcome[],
): Promise<DrivenRun | undefined> {
  const received = outcomes && takeJobOutcomes(known, outcomes)
  let row = await driveOnce(parts, means, known, received)
  while (row === undefined) {
    const run = await readRunRow(parts.database, known.runId)
    if (run === undefined) return undefined
    row = await driveOnce(parts, means, run)
  }
  return row.isKept ? row : undefined
}

/** A run after it was driven once. */
type LeftRow = WrittenRow & DrivenRun

/** @returns undefined when another process has changed the run meanwhile; the computed state is then discarded */
async function driveOnce(
  parts: PlatformParts,
  means: DriveMeans,
  run: RunRow,
  received?: JobOutcomes,
): Promise<LeftRow | undefined> {
  let settle = (_row?: WrittenRow): void => {}
  const written = new Promise<WrittenRow | undefined>(resolve => (settle = resolve))
  try {
    const row = await takeOn({ parts, means, run, written }, received ?? (await readJobOutcomes(parts, run)))
    settle(row)
    return row
  } finally {
    settle()
  }
}

async function takeOn(drive: Drive, { events, unordered }: JobOutcomes): Promise<LeftRow | undefined> {
  const { parts, means, run } = drive
  // Read: the changes of the run's jobs, and whether its wake time has passed.
  const wakesMs = wakesAtMs(means, run)
  const isTime = wakesMs !== undefined && wakesMs <= parts.clock.nowMs()
  const given: readonly GivenEvent[] = isTime ? [...events, { event: 'woken' }] : events
  // Ask: prices, including those of the jobs that most likely come next, so that one pass requests them all.
  const early = await askPrices(drive, expectedQuotes(run.plan, given))
  const advanced = await hear(parts, { ...run, inputs: [] }, [...given, ...early.events])
  const late = await askPrices(drive, advanced.plan.control === 'running' ? advanced.plan.quotes : [])
  const next = await hear(parts, advanced, late.events)
  const orders = dueOrders(next, unordered)
  // Act: orders are started before the run is released, so that it is known by then whether the limits allow them all.
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

/** A run to be written, with the inputs of the jobs that have just become ready to be sent. */
type NextRun = RunRow & WrittenRun

/** Applies events to a run without writing it. */
async function hear(parts: PlatformParts, run: NextRun, events: readonly GivenEvent[]): Promise<NextRun> {
  if (events.length === 0) return run
  const { state, maxTotal, plan, inputs } = await advanceStoredRun(parts, run, events)
  return { ...run, state, maxTotal, plan, inputs: [...run.inputs, ...inputs] }
}

/** The prices to request now, and those of the jobs that follow the jobs just delivered. */
function expectedQuotes(
  { control, quotes, coming }: RunPlan,
  events: readonly GivenEvent[],
): RunPlan['quotes'] {
  if (control !== 'running') return []
  const delivered = new Set(events.flatMap(event => (event.event === 'delivered' ? [event.key] : [])))
  return [...quotes, ...coming.filter(({ after }) => after.every(key => delivered.has(key)))]
}

/** The jobs that were still to be ordered, and those that have become ready now. */
function dueOrders({ inputs, plan }: NextRun, unordered: readonly UnorderedJob[]): readonly UnorderedJob[] {
  const added = new Set(inputs.map(({ jobId }) => jobId))
  return [
    ...unordered.filter(({ jobId }) => !added.has(jobId)),
    ...plan.sent.filter(({ jobId }) => added.has(jobId)).map(sent => ({ ...sent, isRetry: false })),
  ]
}

/** Whether a job of the run is in progress. */
function isAwaited({ plan }: RunRow): boolean {
  return plan.control === 'running' && plan.sent.some(({ state }) => state === 'sent')
}

/** When time alone next changes the run. A run without a payment is also limited by the write rate of its origin. */
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
  // A run whose wake time has passed without a change is due again, but not at once.
  if (wakesMs !== undefined) times.push(Math.max(wakesMs, nowMs + NO_ROOM_MS))
  if (!hasRoom) times.push(nowMs + NO_ROOM_MS)
  // If this process dies, another one starts the same activities again after this time.
  else if (means.activities.isUnderWay(run.runId)) times.push(nowMs + RUN_LEASE_MS)
  return times.length === 0 ? undefined : Math.min(...times)
}

/** Writes a run if it has changed, and releases or keeps it. */
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
