import { within } from '@farebox/protocol/internal/time/within'
import type { Clock } from '@farebox/protocol/time/clock'
import type { GraceEnd } from '../grace-end.ts'

/** The grace period for jobs in flight during a stop (D32). */
export interface StopGrace {
  /** Milliseconds until the grace period ends. */
  readonly jobsMs: number
  /** Ended at that time: jobs that still run are answered. */
  readonly graceEnd: GraceEnd
}

/**
 * The time for responses sent at the end of the grace period: their records are stored first, which may take a slow
 * store this long.
 */
const ANSWERING_MS = 1_500

/** Waits for the jobs in flight, then ends the grace period and waits until the remaining jobs are answered. */
export async function finishJobs(
  clock: Clock,
  { jobsMs, graceEnd }: StopGrace,
  finished: Promise<unknown>,
): Promise<void> {
  const inTime = await within(
    clock,
    jobsMs,
    finished.then(() => true),
  )
  if (inTime === true) return
  graceEnd.make()
  await within(clock, ANSWERING_MS, finished)
}
