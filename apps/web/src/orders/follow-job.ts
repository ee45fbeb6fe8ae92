import type { JobAnswer } from '@farebox/platform-api/jobs'
import { answers } from '../site/answers.ts'
import type { Ask } from '../site/ask.ts'
import { follow } from './follow.ts'

/** A job to follow, and the tokens that open it. */
export interface FollowedJob {
  readonly jobId: string
  /** Undefined when the reader is signed in as the payer, or has the token of the run. */
  readonly token: string | undefined
  /** The token of the flow run that ordered the job. */
  readonly runToken?: string | undefined
}

/** The headers that open a job. */
export function headersFor({ token, runToken }: Omit<FollowedJob, 'jobId'>): { [name: string]: string } {
  return {
    ...(token !== undefined && { 'job-token': token }),
    ...(runToken !== undefined && { 'run-token': runToken }),
  }
}

/** Reports a job each time it changes, until its state is final, as {@link follow} does. */
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

/** Whether the state of a job can no longer change. */
export function isOver({ status, payment }: JobAnswer): boolean {
  return (
    status === 'completed' || ((status === 'failed' || status === 'expired') && payment.status !== 'open')
  )
}
