import { MAX_RESPONSE_BYTES, MAX_TIMEOUT_MARGIN_SECONDS } from '@farebox/protocol/limits'

/** How much an untrusted host may send and how long the whole call may take. */
export interface CallLimits {
  readonly maxBytes: number
  readonly timeoutMs: number
}

/** Of one kind, at a time, to one host (SSRF-07). */
export const CALLS_PER_HOST = 16

/** D37: a look at `/health` or `/about`, an unpaid probe, a webhook. */
export const PROBE_LIMITS: CallLimits = { maxBytes: 256 * 1_024, timeoutMs: 10_000 }

/** D37: what a `POST /execute` may take at an agent that declares `maxDeadlineSeconds`. */
export function executeLimits(maxDeadlineSeconds: number): CallLimits {
  return {
    maxBytes: MAX_RESPONSE_BYTES,
    timeoutMs: Math.ceil((maxDeadlineSeconds + MAX_TIMEOUT_MARGIN_SECONDS) * 1_000),
  }
}
