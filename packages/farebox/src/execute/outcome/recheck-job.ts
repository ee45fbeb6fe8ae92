import type { Clock } from '@farebox/protocol/time/clock'
import type { StoredJob } from '../../jobs/job-store.ts'
import type { Service } from '../service/service.ts'

/** A repeat needs at least this long to be verified, run and charged, because it waits for a block. */
const STALE_AFTER_MS = 200
/** A store that always takes longer than that would otherwise be read forever. */
const MOST_LOOKS = 3

/**
 * Whether a store's answer to a request sent at that Unix time in milliseconds may be outdated. This process may have
 * been paused since, while another process ran and charged a repeat of the job.
 */
export function isStale(clock: Clock, askedMs: number): boolean {
  return clock.nowMs() - askedMs >= STALE_AFTER_MS
}

/**
 * Whether another attempt at a job that is about to be refused may charge for it, by a read that is newer than the refusal.
 * Rejects when the store fails.
 */
export async function isTaken(
  { jobs, clock }: Pick<Service, 'jobs' | 'clock'>,
  jobKey: string,
): Promise<boolean> {
  for (let looked = 1; ; looked += 1) {
    const askedMs = clock.nowMs()
    const stored = await jobs.read(jobKey)
    if (stored !== undefined && mayCharge(stored)) return true
    if (!isStale(clock, askedMs) || looked === MOST_LOOKS) return false
  }
}

/** A response that nobody holds waits for a new payment, and a run past its deadline is never charged for. */
function mayCharge({ job, held }: StoredJob): boolean {
  if (job.state === 'unpaid') return held
  return job.state !== 'running' || !job.overran
}
