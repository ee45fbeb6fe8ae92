import type { WholeAnswer } from '@farebox/client/internal/exchange/exchange'
import { describeError } from '@farebox/server/log'
import { checkSoon } from '../../agents/check-soon.ts'
import type { PlatformParts } from '../../platform-parts.ts'
import type { DependencyWatch } from '../../reputation/watch-dependencies.ts'
import { askAgent, type ReceivedAnswer } from './ask-agent.ts'
import { blameJob } from './blame-job.ts'
import { describeDelivery } from './describe-delivery.ts'
import { forgetIfUnpaid } from '../records/delete-contents.ts'
import { forgetPaymentProblem, notePaymentProblem } from '../../owners/payment-problem.ts'
import { releaseJob } from '../records/job-leases.ts'
import { jobFields } from '../records/job-fields.ts'
import type { JobRow } from '../records/job-row.ts'
import { planNextDueMs, planJob } from './plan-job.ts'
import { readPaymentStatus } from './read-payment-status.ts'
import {
  namedTransaction,
  recordAnswer,
  recordAskingOver,
  recordPaidDelivery,
  recordPaymentStatus,
  recordUnusable,
} from './record-answer.ts'

/** The worker that drives jobs, its abort signal, and the source for outages of dependencies. */
export interface DriveOptions {
  readonly holder: string
  readonly signal: AbortSignal
  readonly outages: Pick<DependencyWatch, 'isAway'>
}

/**
 * Does the work that is due for a job: sends the stored bytes to its agent, checks its payment on the chain, records both,
 * judges a failed job, and releases the job until it is due again. The caller holds the job's lease and renews it
 * meanwhile.
 *
 * When the signal aborts, the job is released unchanged; the next worker sends the same bytes.
 */
export async function driveJob(
  parts: PlatformParts,
  job: JobRow,
  { holder, signal, outages }: DriveOptions,
): Promise<void> {
  const { job: known, received, isOver } = await ask(parts, job, { holder, signal })
  if (isOver === true) {
    tellOutcome(parts, job, known, { isConcluded: true })
    // A retry is also sent to an agent with a payment problem; its success clears the problem.
    if (job.attempt > 1) await tryTo(parts, job, () => forgetPaymentProblem(parts.database, job.agentId))
    return
  }
  if (signal.aborted) {
    await releaseJob(parts.database, job, { holder, nextDueAtMs: parts.clock.nowMs() })
    return
  }
  const seen = await seeChain(parts, known, received?.answer)
  // The job was retried meanwhile: the worker that sends the new attempt does the rest.
  if (seen.attempt !== job.attempt) return
  const isAgentsFault = await blameJob(parts, seen, outages)
  const nextDueAtMs = planNextDueMs(seen, parts.clock.nowMs(), received?.retryAfterMs)
  if (nextDueAtMs === undefined && !seen.askingOver) await recordAskingOver(parts, seen)
  await forgetIfUnpaid(parts.database, seen, {
    nowMs: parts.clock.nowMs(),
    isOver: nextDueAtMs === undefined,
  })
  await releaseJob(parts.database, job, { holder, nextDueAtMs })
  tellOutcome(parts, job, seen, { isConcluded: false })
  const { agentId } = seen
  // D11: an agent whose facilitator secret is missing or was refused answers like this.
  if (received?.answer?.status === 401 && seen.errorType === 'payment')
    await tryTo(parts, job, () =>
      notePaymentProblem(parts.database, agentId, {
        reason: 'it answered a paid order with 401: is its FACILITATOR_SECRET right?',
        nowMs: parts.clock.nowMs(),
      }),
    )
  if (isAgentsFault || (received !== undefined && received.answer === undefined))
    await tryTo(parts, job, () => checkSoon(parts.database, agentId))
}

/** Runs work on which the job does not depend; a failure is only logged. */
async function tryTo({ log }: PlatformParts, job: JobRow, work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    log.warn('could not update the agent after a job', { ...jobFields(job), error: describeError(error) })
  }
}

async function ask(
  parts: PlatformParts,
  job: JobRow,
  { holder, signal }: Pick<DriveOptions, 'holder' | 'signal'>,
): Promise<{ readonly job: JobRow; readonly received?: ReceivedAnswer; readonly isOver?: true }> {
  if (!planJob(job, parts.clock.nowMs()).ask) return { job }
  let received: ReceivedAnswer | undefined
  const beganMs = parts.clock.nowMs()
  try {
    received = await askAgent(parts, job, signal)
    // An answer that arrived is kept; a send that was aborted here proves nothing.
    if (signal.aborted && received.answer === undefined) return { job }
    const sending = { received, beganMs, delivery: await describeDelivery(parts, job, received.outcome) }
    const over = await recordPaidDelivery(parts, job, sending, holder)
    if (over !== undefined) return { job: over, isOver: true }
    return { job: await recordAnswer(parts, job, sending), received }
  } catch (error) {
    // Counted as an unusable answer, so that the agent is not asked endlessly; the chain is still checked.
    parts.log.error('could not record an answer', { ...jobFields(job), error: describeError(error) })
    return { job: await recordUnusable(parts, job, beganMs), ...(received && { received }) }
  }
}

async function seeChain(parts: PlatformParts, job: JobRow, answer: WholeAnswer | undefined): Promise<JobRow> {
  if (!planJob(job, parts.clock.nowMs()).seeChain) return job
  const status = await readPaymentStatus(parts, job, answer && namedTransaction(job, answer))
  return status.payment === 'open' ? job : await recordPaymentStatus(parts, job, status)
}

/** The longest body passed to the run in memory; a longer one is read from the job's row. */
const MAX_TOLD_CHARACTERS = 65_536

/** Notifies the runs of this process, and logs a change of state. */
function tellOutcome(
  { log, due }: PlatformParts,
  before: JobRow,
  job: JobRow,
  { isConcluded }: { readonly isConcluded: boolean },
): void {
  due.changes.publish(job.jobId)
  const { runId, responseBody = '' } = job
  if (runId !== undefined) {
    const isTold = isConcluded && responseBody !== '' && responseBody.length <= MAX_TOLD_CHARACTERS
    due.outcomes.publish({ runId, jobId: job.jobId, body: isTold ? responseBody : undefined })
    if (!isTold) due.runs.notify()
  }
  if (job.state === before.state && job.payment === before.payment) return
  const { agentId, state, payment, sendings, chargedWithoutDelivery } = job
  log.info('job', { ...jobFields(job), agent: agentId, state, payment, sendings, chargedWithoutDelivery })
}
