import { SETTLE_MARGIN_SECONDS } from '@farebox/protocol/limits'
import { fairSeconds, leastDeadlineSeconds } from '../../reputation/fair-deadline.ts'
import type { JobRow } from '../records/job-row.ts'

/** The most attempts of a job for one payment, including the first, because each attempt costs the agent something. */
const MAX_ATTEMPTS = 5

/** Whether a job can be retried with its payment. */
export type RetryState =
  | { readonly possible: true; /** Unix seconds: the last moment. */ readonly until: number }
  | { readonly possible: false; readonly reason: string }

/**
 * Whether a job can be sent again with the same payment: its agent failed it, so nothing was charged (D8); the payment is
 * valid long enough for the agent and the settlement; and there were not too many attempts.
 */
export function retryState(job: JobRow, nowMs: number): RetryState {
  const reason = refuseRetry(job)
  if (reason !== undefined) return { possible: false, reason }
  const until = Number(job.authorization.validBefore) - SETTLE_MARGIN_SECONDS - leastRetrySeconds(job)
  if (nowMs <= until * 1_000) return { possible: true, until }
  return { possible: false, reason: 'its payment ends too soon for another run: order it again' }
}

/** The seconds that a retry must leave the agent: its fair time if the job failed because it had less. */
export function leastRetrySeconds({ fault, maxDeadlineSeconds }: JobRow): number {
  return fault === 'deadline' ? fairSeconds(maxDeadlineSeconds) : leastDeadlineSeconds(maxDeadlineSeconds)
}

function refuseRetry({ answer, payment, attempt }: JobRow): string | undefined {
  if (answer === 'completed')
    return payment === 'open' ? 'it was delivered and is being settled' : 'it was delivered'
  if (payment === 'paid') return 'its payment was charged'
  if (payment === 'dead') return 'its payment cannot be used any more: order it again'
  if (answer !== 'failed') return 'its agent has not answered: it may still deliver, and charge'
  if (attempt >= MAX_ATTEMPTS) return `it was tried ${MAX_ATTEMPTS} times: order it again`
  return undefined
}
