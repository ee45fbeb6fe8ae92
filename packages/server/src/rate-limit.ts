import type { Clock } from '@farebox/protocol/time/clock'

/** A request allowance for each name. */
export interface RateLimit {
  /**
   * Takes one request from the allowance of a name. Returns undefined when the request is allowed, otherwise the seconds
   * until the next one is.
   *
   * @param burst - as many at once; default: as many as it may have in a minute
   */
  (name: string, perMinute: number, burst?: number): number | undefined
  /** Returns an unused request to the allowance. */
  giveBack(name: string): void
}

interface Bucket {
  left: number
  atMs: number
  readonly perMinute: number
  readonly burst: number
}

/** The most names that are remembered; beyond it the names that were used longest ago are forgotten. */
const MAX_NAMES = 20_000

/**
 * A token bucket for each name: its burst at once, then this many a minute. Each process counts separately, so that n
 * processes allow n times as much.
 */
export function createRateLimit(clock: Clock, maxNames = MAX_NAMES): RateLimit {
  const buckets = new Map<string, Bucket>()
  const take = (name: string, perMinute: number, burst = perMinute): number | undefined => {
    const nowMs = clock.nowMs()
    const bucket = buckets.get(name) ?? { left: burst, atMs: nowMs, perMinute, burst }
    // Moved to the end of the map, so that an active name is not forgotten in favour of new ones.
    buckets.delete(name)
    buckets.set(name, bucket)
    const [oldest] = buckets.keys()
    if (buckets.size > maxNames && oldest !== undefined) buckets.delete(oldest)
    const refilled = (Math.max(0, nowMs - bucket.atMs) / 60_000) * bucket.perMinute
    bucket.left = Math.min(bucket.burst, bucket.left + refilled)
    bucket.atMs = nowMs
    if (bucket.left < 1) return Math.max(1, Math.ceil(((1 - bucket.left) / bucket.perMinute) * 60))
    bucket.left -= 1
    return undefined
  }
  return Object.assign(take, {
    giveBack(name: string) {
      const bucket = buckets.get(name)
      if (bucket !== undefined) bucket.left = Math.min(bucket.burst, bucket.left + 1)
    },
  })
}
