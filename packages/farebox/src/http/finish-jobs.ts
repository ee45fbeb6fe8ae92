import { within } from '@farebox/protocol/internal/time/within'
import type { Clock } from '@farebox/protocol/time/clock'
import type { GraceEnd } from '../grace-end.ts'

/** How long jobs in flight are waited for at a stop (D32). */
export interface StopGrace {
  /** Until the grace period ends. */
  readonly jobsMs: number
  /** Made then: what still runs is answered. */
  readonly graceEnd: GraceEnd
}

/** What is answered at the end of the grace period is written down first, which may take a store its time. */
const ANSWERING_MS = 1_500

/** Waits for the jobs in flight, then ends the grace period and waits for what is answered at its end. */
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
