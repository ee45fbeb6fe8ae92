import type { JobAnswer } from '@farebox/platform-api/jobs'
import { answers } from '../site/answers.ts'
import type { Ask } from '../site/ask.ts'
import { follow } from './follow.ts'

/** A job to be followed, and what opens it. */
export interface FollowedJob {
  readonly jobId: string
  /** Undefined: the reader is signed in as its payer, or has the token of its run. */
  readonly token: string | undefined
  /** Of the run of a flow that ordered it. */
  readonly runToken?: string | undefined
}

/** What opens a job, as requests for it show it. */
export function headersFor({ token, runToken }: Omit<FollowedJob, 'jobId'>): { [name: string]: string } {
  return {
    ...(token !== undefined && { 'job-token': token }),
    ...(runToken !== undefined && { 'run-token': runToken }),
  }
}

/** Reports a job each time it changes, until nothing more can become of it, as {@link follow} does. */
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

/** Whether nothing more can become of a job. */
export function isOver({ status, payment }: JobAnswer): boolean {
  return (
    status === 'completed' || ((status === 'failed' || status === 'expired') && payment.status !== 'open')
  )
}
