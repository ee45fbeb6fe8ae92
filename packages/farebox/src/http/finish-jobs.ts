import { sleep, type Clock } from '../clock.ts'
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
  if (await within(clock, jobsMs, finished)) return
  graceEnd.make()
  await within(clock, ANSWERING_MS, finished)
}

/** Waits for work, and no longer than so long; whether it was over by then. */
export async function within(clock: Clock, ms: number, work: Promise<unknown>): Promise<boolean> {
  const over = new AbortController()
  const inTime = await Promise.race([work.then(() => true), sleep(clock, ms, over.signal).then(() => false)])
  over.abort()
  return inTime
}
