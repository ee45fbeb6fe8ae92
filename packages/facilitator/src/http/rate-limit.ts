import type { Clock } from '@farebox/server/clock'

/** Takes one from the allowance of a name; false when it is used up. */
export type RateLimit = (name: string) => boolean

/** How many names are remembered; beyond it those asked for longest ago begin anew. */
const MAX_NAMES = 10_000

/**
 * A token bucket for each name: so many a second on average, and twice that at once. One process counts for
 * itself, so that n processes allow n times as much.
 */
export function createRateLimit(perSecond: number, clock: Clock): RateLimit {
  const buckets = new Map<string, { left: number; atMs: number }>()
  const burst = perSecond * 2
  return name => {
    const nowMs = clock.nowMs()
    const bucket = buckets.get(name) ?? { left: burst, atMs: nowMs }
    buckets.delete(name)
    buckets.set(name, bucket)
    const [oldest] = buckets.keys()
    if (buckets.size > MAX_NAMES && oldest !== undefined) buckets.delete(oldest)
    bucket.left = Math.min(burst, bucket.left + (Math.max(0, nowMs - bucket.atMs) / 1_000) * perSecond)
    bucket.atMs = nowMs
    if (bucket.left < 1) return false
    bucket.left -= 1
    return true
  }
}
