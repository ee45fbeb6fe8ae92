import type { PlatformParts } from '../../platform-parts.ts'
import { createNotifier } from '../../work/notifier.ts'
import type { JobRow } from './job-row.ts'
import { readBareJob, readJob } from './job-store.ts'

/** No caller is kept waiting for longer, whatever its agent may take. */
const LONGEST_WAIT_MS = 120_000
/** After its time is over an answer may still be on its way. */
const LATE_MS = 2_000
/** How long a delivery waits for the proof of its payment before it is shown without. */
const PROOF_WAIT_MS = 5_000
const FIRST_LOOK_MS = 40
const LONGEST_LOOK_MS = 500

/**
 * Waits until the outcome of a job is known, or for as long as its agent may take and two minutes at most. The job
 * goes on whether anybody waits or not.
 *
 * @returns the job as it is then, with what was asked and delivered
 */
export async function waitForOutcome(
  { database, clock, due }: Pick<PlatformParts, 'database' | 'clock' | 'due'>,
  job: JobRow,
  signal: AbortSignal,
): Promise<JobRow> {
  const startMs = clock.nowMs()
  const endMs = Math.min(startMs + LONGEST_WAIT_MS, Math.max(startMs, job.expiresAtMs) + LATE_MS)
  let known = job
  const soon = createNotifier(clock)
  // Where another process drives the job, only looking says so.
  const unsubscribe = due.changes.subscribe(changed => {
    if (changed === job.jobId) soon.notify()
  })
  try {
    for (let lookMs = FIRST_LOOK_MS; ; lookMs = Math.min(lookMs * 1.5, LONGEST_LOOK_MS)) {
      if (hasOutcome(known, clock.nowMs()) || signal.aborted || clock.nowMs() >= endMs) break
      await soon.wait(lookMs, signal)
      known = (await readBareJob(database, job.jobId)) ?? known
    }
  } finally {
    unsubscribe()
  }
  // What was asked and delivered is read once, at the end.
  return (await readJob(database, job.jobId)) ?? known
}

/** Is there nothing more that somebody would wait for? */
function hasOutcome(job: JobRow, nowMs: number): boolean {
  if (job.nextDueAtMs === undefined || job.answer === 'failed') return true
  if (job.answer !== 'completed') return false
  return job.payment !== 'open' || nowMs >= job.orderedAtMs + (job.elapsedMs ?? 0) + PROOF_WAIT_MS
}
