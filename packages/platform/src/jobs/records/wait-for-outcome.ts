import type { PlatformParts } from '../../platform-parts.ts'
import { createNotifier } from '../../work/notifier.ts'
import type { JobRow } from './job-row.ts'
import { readBareJob, readJob } from './job-store.ts'

/** The longest time a request waits, whatever its agent may take. */
const LONGEST_WAIT_MS = 120_000
/** An answer may still arrive this long after the job expired. */
const LATE_MS = 2_000
/** How long a request with a delivery waits for the proof of payment before it is answered without. */
const PROOF_WAIT_MS = 5_000
const FIRST_LOOK_MS = 40
const LONGEST_LOOK_MS = 500

/**
 * Waits until the outcome of a job is known, at most for the time its agent may take and at most two minutes. The job
 * continues independent of waiting requests.
 *
 * @returns the job in its current state, with input and output
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
  // A notification comes only from this process; jobs driven by another process are found by polling.
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
  // Input and output are read once, at the end.
  return (await readJob(database, job.jobId)) ?? known
}

/** Whether nothing is left to wait for. */
function hasOutcome(job: JobRow, nowMs: number): boolean {
  if (job.nextDueAtMs === undefined || job.answer === 'failed') return true
  if (job.answer !== 'completed') return false
  return job.payment !== 'open' || nowMs >= job.orderedAtMs + (job.elapsedMs ?? 0) + PROOF_WAIT_MS
}
