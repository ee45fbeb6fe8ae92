import type { Clock } from '@farebox/protocol/time/clock'

const FIRST_WAIT_MS = 500
const LONGEST_WAIT_MS = 8_000
/** The longest wait that a server's `Retry-After` can cause. */
const LONGEST_RETRY_AFTER_MS = 60_000

/**
 * How long to wait before a request is repeated: as long as the response says, otherwise twice as long as before.
 *
 * @param headers of the response; undefined when there was none
 * @param repeats how often it was repeated so far
 */
export function backOffMs(clock: Clock, headers: Headers | undefined, repeats: number): number {
  const backoffMs = Math.min(FIRST_WAIT_MS * 2 ** Math.min(repeats, 10), LONGEST_WAIT_MS)
  const retryAfterMs = readRetryAfter(headers?.get('retry-after') ?? null, clock)
  if (retryAfterMs === undefined) return backoffMs
  return Math.min(Math.max(retryAfterMs, FIRST_WAIT_MS), LONGEST_RETRY_AFTER_MS)
}

/** Seconds or a date (RFC 9110, section 10.2.3). */
function readRetryAfter(header: string | null, clock: Clock): number | undefined {
  if (header === null) return undefined
  if (/^\d{1,9}$/.test(header)) return Number(header) * 1_000
  const date = Date.parse(header)
  return Number.isNaN(date) ? undefined : date - clock.nowMs()
}
