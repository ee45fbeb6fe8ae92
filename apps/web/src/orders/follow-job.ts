import type { JobAnswer } from '@farebox/platform-api/jobs'
import { ApiFailure, type Ask } from '../site/ask.ts'
import { readEvents } from './read-events.ts'

const SHORTEST_PAUSE_MS = 700
const LONGEST_PAUSE_MS = 15_000

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

/**
 * Tells of a job each time it changes, until nothing more can become of it: by the platform's events, and by asking where
 * they do not come. Rejects where the job is not there (an `ApiFailure`, 404) and when the signal aborts.
 */
export async function followJob(
  ask: Ask,
  { jobId, ...tokens }: FollowedJob,
  tell: (job: JobAnswer) => void,
  signal: AbortSignal,
): Promise<void> {
  const headers = headersFor(tokens)
  let lastId: string | undefined
  let last: JobAnswer | undefined
  const see = (job: JobAnswer): void => {
    last = job
    tell(job)
  }
  for (let pauseMs = SHORTEST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
    try {
      for await (const event of readEvents(`/v1/jobs/${jobId}/events`, { headers, lastId, signal })) {
        lastId = event.id ?? lastId
        if (event.type === 'job') see(JSON.parse(event.data) as JobAnswer)
        pauseMs = SHORTEST_PAUSE_MS
      }
    } catch {
      signal.throwIfAborted()
    }
    if (last === undefined || !isOver(last)) {
      const asked = await ask<JobAnswer>(`/v1/jobs/${jobId}`, { headers, signal }).catch((error: unknown) => {
        if (signal.aborted || (error instanceof ApiFailure && error.status === 404)) throw error
        return undefined
      })
      if (asked !== undefined) see(asked)
    }
    if (last !== undefined && isOver(last)) return
    await new Promise(resolve => setTimeout(resolve, pauseMs))
    signal.throwIfAborted()
  }
}

/** Whether nothing more can become of a job. */
export function isOver({ status, payment }: JobAnswer): boolean {
  return (
    status === 'completed' || ((status === 'failed' || status === 'expired') && payment.status !== 'open')
  )
}
