import { jobPending } from '@farebox/protocol/job/job-response'
import { NO_STORE, type Answer } from '../../answer/answer.ts'
import type { SettledJob } from '../../jobs/job.ts'

/** When to ask again for a job whose settlement is not known yet. */
const RETRY_AFTER_SECONDS = 2

/** The 200: the stored bytes, the same for every repeat (D22, D24). */
export function answerSettled(job: SettledJob): Answer {
  const headers =
    job.paymentResponse === '' ? NO_STORE : { ...NO_STORE, 'payment-response': job.paymentResponse }
  return { status: 200, headers, body: job.response }
}

/** The 503 while money may still move (D8): never a failure, because the caller would pay again. */
export function answerPending(jobId: string, error?: string): Answer {
  return {
    status: 503,
    headers: { ...NO_STORE, 'retry-after': String(RETRY_AFTER_SECONDS) },
    body: JSON.stringify(jobPending(jobId, error)),
  }
}
