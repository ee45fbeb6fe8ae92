import { jobPending } from '@farebox/protocol/job/job-response'
import { NO_STORE, type Answer } from '../../answer/answer.ts'
import type { SettledJob } from '../../jobs/job.ts'

/** Seconds after which a caller should ask again for a job whose settlement is not known yet. */
const RETRY_AFTER_SECONDS = 2

/** The 200 with the stored bytes, the same for every repeat (D22, D24). */
export function answerSettled(job: SettledJob): Answer {
  const headers =
    job.paymentResponse === '' ? NO_STORE : { ...NO_STORE, 'payment-response': job.paymentResponse }
  return { status: 200, headers, body: job.response }
}

/**
 * The 503 for a job whose money may still move (D8). It is not reported as a failure, because the caller would then pay
 * again.
 */
export function answerPending(jobId: string, error?: string): Answer {
  return {
    status: 503,
    headers: { ...NO_STORE, 'retry-after': String(RETRY_AFTER_SECONDS) },
    body: JSON.stringify(jobPending(jobId, error)),
  }
}
