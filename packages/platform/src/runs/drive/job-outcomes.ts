import type { GivenEvent, SentJob } from '../../checking/run-messages.ts'
import type { JobOutcome } from '../../work/due-work.ts'
import type { PlatformParts } from '../../platform-parts.ts'
import type { RunRow } from '../records/run-row.ts'
import { readSentJobs, type JobOfRun, type SentRow, type StepOrder } from '../records/sent-jobs.ts'

/** The changes of a run's jobs since its state was written, and the jobs that are still to be ordered. */
export interface JobOutcomes {
  readonly events: readonly GivenEvent[]
  /** Jobs whose order, or whose order of the current attempt, has not been written. */
  readonly unordered: readonly UnorderedJob[]
}

/** A job that is to be ordered with its payment. */
export interface UnorderedJob extends SentJob {
  /** Whether the job was ordered before, so that the order of another attempt is due. */
  readonly isRetry: boolean
  /** The values of its order if they were just written; otherwise they are read. */
  readonly with?: StepOrder
}

/** Compares a run with the rows of its jobs. */
export async function readJobOutcomes(
  { database }: Pick<PlatformParts, 'database'>,
  run: RunRow,
): Promise<JobOutcomes> {
  const { sent } = run.plan
  const rows = await readSentJobs(
    database,
    run.runId,
    sent.map(({ jobId }) => jobId),
  )
  const events: GivenEvent[] = []
  const unordered: UnorderedJob[] = []
  for (const one of sent) {
    const row = rows.get(one.jobId)
    if (row === undefined) continue
    events.push(...eventsOf(one, row))
    const order = orderOf(one, row)
    if (order !== undefined) unordered.push(order)
  }
  return { events, unordered }
}

/**
 * Like {@link readJobOutcomes}, but from the outcomes that this process has observed.
 *
 * @returns undefined when the rows of the jobs must be read
 */
export function takeJobOutcomes({ plan }: RunRow, outcomes: readonly JobOutcome[]): JobOutcomes | undefined {
  const bodies = new Map<string, string>()
  for (const { jobId, body } of outcomes) {
    if (body === undefined) return undefined
    bodies.set(jobId, body)
  }
  const events = plan.sent.flatMap((sent): readonly GivenEvent[] => {
    const body = bodies.get(sent.jobId)
    return body === undefined ? [] : [deliveredEvent(sent, body)]
  })
  return { events, unordered: [] }
}

function deliveredEvent({ key, jobId: job_id, attempt }: SentJob, body: string): GivenEvent {
  return { event: 'delivered', key, job_id, attempt, body }
}

function eventsOf(sent: SentJob, { job, givenUp }: SentRow): readonly GivenEvent[] {
  if (job === undefined) return givenUp === undefined ? [] : [unsentEvent(sent, givenUp)]
  if (!job.isOfRun) return eventsOfForeign(sent, job)
  switch (job.payment) {
    case 'paid': {
      const { outputProblem, delivery: body } = job
      if (outputProblem === undefined && body !== undefined) return [deliveredEvent(sent, body)]
      const isOver = job.chargedWithoutDelivery || job.answer === 'completed' || job.answer === 'failed'
      return isOver ? [...failure(sent, job), { event: 'charged', key: sent.key, job_id: sent.jobId }] : []
    }
    case 'dead':
      return [
        ...(job.answer === 'failed' ? failure(sent, job) : []),
        { event: 'dead', key: sent.key, job_id: sent.jobId },
      ]
    case 'open':
      return job.answer === 'failed' && job.attempt >= sent.attempt ? failure(sent, job) : []
  }
}

/** The payer has used the job_id for another order. Its result does not belong to the run, but its charge counts. */
function eventsOfForeign(sent: SentJob, { payment }: JobOfRun): readonly GivenEvent[] {
  const { key, jobId: job_id, attempt } = sent
  const error = 'The payment was used for another order.'
  const failed = { event: 'failed', key, job_id, attempt, error_type: 'conflict', error } as const
  if (payment === 'paid') return [failed, { event: 'charged', key, job_id }]
  if (payment === 'dead') return [failed, { event: 'dead', key, job_id }]
  return sent.state === 'sent' ? [failed] : []
}

function failure(sent: SentJob, job: JobOfRun): readonly GivenEvent[] {
  if (sent.state !== 'sent') return []
  const { outputProblem, answer } = job
  const words =
    outputProblem !== undefined
      ? { error_type: 'output', error: `The output is not what the agent declares: ${outputProblem}` }
      : answer === 'completed'
        ? { error_type: 'output', error: 'The output is not kept any more.' }
        : { error_type: job.errorType ?? 'timeout', error: job.error ?? 'The agent gave no answer.' }
  return [{ event: 'failed', key: sent.key, job_id: sent.jobId, attempt: sent.attempt, ...words }]
}

/** Creates the event of an order that was not written, with the reason. */
export function unsentEvent({ key, jobId: job_id, attempt }: SentJob, error: string): GivenEvent {
  return { event: 'unsent', key, job_id, attempt, error }
}

function orderOf(sent: SentJob, { job, givenUp, hasPayment }: SentRow): UnorderedJob | undefined {
  if (sent.state !== 'sent' || givenUp !== undefined || !hasPayment) return undefined
  if (job === undefined) return { ...sent, isRetry: false }
  const isDue = job.isOfRun && job.attempt < sent.attempt && job.payment === 'open'
  return isDue ? { ...sent, isRetry: true } : undefined
}
