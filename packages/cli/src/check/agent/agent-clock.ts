import { createClockMeter, NAMED_SKEW_SECONDS, type ReportedTime } from '@farebox/payments/http/clock-meter'

/**
 * By how many seconds this machine's clock is ahead of an agent's, by the `Date` of its answers; negative behind, 0 where
 * they may agree.
 */
export function clockAheadOf(told: readonly ReportedTime[]): number {
  const meter = createClockMeter()
  for (const one of told) meter.hear(one)
  const aheadSeconds = meter.aheadSeconds()
  return Math.abs(aheadSeconds) >= NAMED_SKEW_SECONDS ? aheadSeconds : 0
}

/** The time an answer tells; undefined where it tells none. */
export function toldTime(headers: Headers, sentMs: number, receivedMs: number): ReportedTime | undefined {
  const theirsMs = Date.parse(headers.get('date') ?? '')
  return Number.isFinite(theirsMs) ? { theirsMs, sentMs, receivedMs } : undefined
}
