import { SETTLE_MARGIN_SECONDS } from '@farebox/protocol/limits'

/**
 * An order must leave its agent at least this share of `max_deadline_seconds`, limited by {@link
 * LEAST_SECONDS_AT_MOST}.
 */
const LEAST_SHARE = 0.5
/** No agent can require more time than this from a caller, in seconds. */
const LEAST_SECONDS_AT_MOST = 10

/** The share of the declared time that counts as fair; the rest is for transmission. */
const FAIR_SHARE = 0.9

/**
 * The minimum time in seconds that an order must leave an agent (D17): half of the declared time, at most ten seconds.
 * It is never the whole declared time, because the transmission of an order takes a while.
 */
export function leastDeadlineSeconds(maxDeadlineSeconds: number): number {
  return Math.min(maxDeadlineSeconds * LEAST_SHARE, LEAST_SECONDS_AT_MOST)
}

/** With at least this many seconds, an agent that did not deliver cannot be excused by the deadline (D43). */
export function fairSeconds(maxDeadlineSeconds: number): number {
  return maxDeadlineSeconds * FAIR_SHARE
}

/** The times at which an order ends, in Unix seconds. */
export interface OrderEnd {
  readonly deadline: number
  /** The end of the payment authorization. */
  readonly validBefore: number
}

/** The seconds that a job sent now leaves its agent: it must end early enough for the payment to be settled (D17). */
export function secondsLeft({ deadline, validBefore }: OrderEnd, nowMs: number): number {
  return Math.min(deadline, validBefore - SETTLE_MARGIN_SECONDS) - nowMs / 1_000
}
