import type { Clock } from '@farebox/protocol/time/clock'
import type { Service } from '../service/service.ts'

/** A repeat is verified, run and charged in no less: it waits for a block. */
const STALE_AFTER_MS = 200
/** A store that is always so slow says the same thing again and again. */
const MOST_LOOKS = 3

/**
 * May what the store was asked at that Unix time in milliseconds be wrong by now? Between its answer and ours this
 * process may have stood still, while a repeat of the job was run and charged by another.
 */
export function isStale(clock: Clock, askedMs: number): boolean {
  return clock.nowMs() - askedMs >= STALE_AFTER_MS
}

/**
 * Looks whether a job that was let go here has been taken up since, by a read that is newer than the refusal.
 * Rejects where the store does not say.
 */
export async function isTaken(
  { jobs, clock }: Pick<Service, 'jobs' | 'clock'>,
  jobKey: string,
): Promise<boolean> {
  for (let looked = 1; ; looked += 1) {
    const askedMs = clock.nowMs()
    const stored = await jobs.read(jobKey)
    const isFree = stored === undefined || (stored.job.state === 'unpaid' && !stored.held)
    if (!isFree) return true
    if (!isStale(clock, askedMs) || looked === MOST_LOOKS) return false
  }
}
