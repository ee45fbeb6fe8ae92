import type { JobAnswer } from '@farebox/platform-api/jobs'
import { answers } from '../site/answers.ts'
import type { Ask } from '../site/ask.ts'
import { follow } from './follow.ts'

/** A job to follow, and the tokens that open it. */
export interface FollowedJob {
  readonly jobId: string
  /** Undefined: the reader is signed in as its payer, or has the token of its run. */
  readonly token: string | undefined
  /** Of the run of a flow that ordered it. */
  readonly runToken?: string | undefined
}

/** The headers that open a job. */
export function headersFor({ token, runToken }: Omit<FollowedJob, 'jobId'>): { [name: string]: string } {
  return {
    ...(token !== undefined && { 'job-token': token }),
    ...(runToken !== undefined && { 'run-token': runToken }),
  }
}

/** Reports a job each time it changes, until it is over, as {@link follow} does. */
export async function followJob(
  ask: Ask,
  { jobId, ...tokens }: FollowedJob,
  report: (job: JobAnswer) => void,
  signal: AbortSignal,
): Promise<void> {
  const job = {
    path: `/v1/jobs/${jobId}`,
    answer: answers.job,
    type: 'job',
    headers: headersFor(tokens),
    isOver,
  }
  await follow(ask, job, report, signal)
}

/** Whether a job cannot change any more. */
export function isOver({ status, payment }: JobAnswer): boolean {
  return (
    status === 'completed' || ((status === 'failed' || status === 'expired') && payment.status !== 'open')
  )
}
