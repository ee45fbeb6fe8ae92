import { RESPONSE_KEPT_SECONDS } from '@farebox/protocol/limits'
import { LONGEST_PAUSE_MS } from '../faults/longest.ts'
import type { HandlerRun, JobHistory } from '../records/job-records.ts'
import type { Evidence, Violation } from './verdict.ts'

/** I6: a handler runs once for a job, unless its process dies or is cut off, or the run fails. */
export function* handlerOnce({ world }: Evidence): Iterable<Violation> {
  for (const [job, history] of world.jobs.all()) {
    if (history.hasLostWrites) continue
    for (const [index, run] of history.runs.entries()) {
      const next = history.runs[index + 1]
      if (next === undefined || mayRunAgain(world, history, run, next)) continue
      yield {
        invariant: 'I6',
        message: `the handler of ${job} began in ${run.process} at ${run.startedMs} and again in ${next.process} at ${next.startedMs}`,
      }
    }
  }
}

function mayRunAgain(
  world: Evidence['world'],
  { settledMs }: JobHistory,
  run: HandlerRun,
  next: HandlerRun,
): boolean {
  const hasFailed =
    run.endedMs !== undefined &&
    run.endedMs <= next.startedMs &&
    (!run.hasReturned || run.leftMs < TAKEN_OFF_MS)
  if (hasFailed) return true
  const fromMs = run.startedMs - LATE_MS
  const isDisturbed = world.jobs.disturbances().some(({ process, atMs }) => {
    if (atMs < fromMs || atMs > next.startedMs) return false
    // Or the later one had claimed it first, stopped for longer than its lease, and goes on where it was.
    return process === run.process || (process === next.process && atMs <= run.startedMs)
  })
  if (isDisturbed) return true
  return settledMs.some(atMs => next.startedMs - atMs >= RESPONSE_KEPT_SECONDS * 1_000)
}

/** A process that stopped right after its claim begins late, and learns only then that it lost its lease. */
const LATE_MS = 2 * LONGEST_PAUSE_MS

/** A payment that expires, or the time to settle, ends a run before the deadline that its handler was told. */
const TAKEN_OFF_MS = 5_000
