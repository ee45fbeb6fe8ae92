import { SETTLE_MARGIN_SECONDS } from '@farebox/protocol/limits'

/** An order leaves its agent at least this share of `max_deadline_seconds`, up to the bound below. */
const LEAST_SHARE = 0.5
/** No agent can ask for more than this of a caller who is in a hurry. */
const LEAST_SECONDS_AT_MOST = 10

/** Of what an agent declares, this much is its fair time: the rest is the way to it. */
const FAIR_SHARE = 0.9

/**
 * The least time in seconds that an order must leave an agent (D17): half of what it declares, at most ten seconds. Never
 * all of it: an order is on its way for a while before it is looked at.
 */
export function leastDeadlineSeconds(maxDeadlineSeconds: number): number {
  return Math.min(maxDeadlineSeconds * LEAST_SHARE, LEAST_SECONDS_AT_MOST)
}

/** With this many seconds or more, an agent that did not deliver has no excuse in the deadline (D43). */
export function fairSeconds(maxDeadlineSeconds: number): number {
  return maxDeadlineSeconds * FAIR_SHARE
}

/** What an order says of its own end; Unix seconds. */
export interface OrderEnd {
  readonly deadline: number
  /** Of the authorization. */
  readonly validBefore: number
}

/** The seconds that a job sent now leaves its agent: it has to end early enough for the payment to be settled (D17). */
export function secondsLeft({ deadline, validBefore }: OrderEnd, nowMs: number): number {
  return Math.min(deadline, validBefore - SETTLE_MARGIN_SECONDS) - nowMs / 1_000
}
