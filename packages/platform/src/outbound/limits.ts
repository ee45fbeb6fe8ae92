import { MAX_RESPONSE_BYTES, MAX_TIMEOUT_MARGIN_SECONDS } from '@farebox/protocol/limits'

/** The maximum size of a response and the maximum duration of the whole call. */
export interface CallLimits {
  readonly maxBytes: number
  readonly timeoutMs: number
}

/** Concurrent calls of one lane to one host (SSRF-07). */
export const CALLS_PER_HOST = 16

/** D37: limits of a request to `/health` or `/about`, of an unpaid probe and of a webhook. */
export const PROBE_LIMITS: CallLimits = { maxBytes: 256 * 1_024, timeoutMs: 10_000 }

/** D37: the limits of a `POST /execute` to an agent that declares `maxDeadlineSeconds`. */
export function executeLimits(maxDeadlineSeconds: number): CallLimits {
  return {
    maxBytes: MAX_RESPONSE_BYTES,
    timeoutMs: Math.ceil((maxDeadlineSeconds + MAX_TIMEOUT_MARGIN_SECONDS) * 1_000),
  }
}
