import type { ProvenPayment } from '@farebox/payments/x402/verify-signature'
import { DeadlineError, PaymentError } from '@farebox/protocol/errors/service-errors'
import { LARGE_BODY_BYTES } from '@farebox/protocol/limits'
import type { Answer } from '../../answer/answer.ts'
import type { Job, RunningJob, UnpaidJob } from '../../jobs/job.ts'
import type { StoredJob } from '../../jobs/job-store.ts'
import type { PaymentTerms } from '../request/agree-on-terms.ts'
import type { Served } from '../outcome/served.ts'
import { orClockDoubt } from '../request/clock-doubt.ts'
import type { ArrivedRequest } from '../request/arrived-request.ts'
import { answerPending, answerSettled } from '../outcome/answer-job.ts'
import { endAbandonedRun, takeOverJob } from '../run/claim-job.ts'
import type { Deadline } from '../../handler/enforce-deadline.ts'
import { isStale, isTaken } from '../outcome/recheck-job.ts'
import type { JobOrder } from '../request/job-order.ts'
import { proveRepeat } from './prove-repeat.ts'
import { refuseUnpaid } from '../payment/refused-payment.ts'
import type { Service } from '../service/service.ts'

/** Intervals at which another process's job is polled: short at first, because most jobs are short. */
const FIRST_LOOK_MS = 5
const SLOWEST_LOOK_MS = 100

/**
 * The interval at which a run past its deadline is polled when another process has it; this process notifies its own.
 */
const OVERRUN_LOOK_MS = 500

/** The time within which a run past its deadline must have ended. */
const RUN_OVER_MS = 2_000

/**
 * The most requests that wait for one job in a process, overall and with large bodies: each holds its body in memory
 * and pays nothing.
 */
const MOST_REPEATS = 256
const LARGE_REPEATS = 8
const RUNS_LONGER =
  'an earlier request for this job is still running: repeat the same job_id with a later deadline'
const TOO_MANY = 'too many requests wait for this job: repeat the same job_id with the same payment header'

/** The meaning of a job's record for an order. */
export type Repeat =
  | Extract<Served, { kind: 'answered' | 'refused' }>
  /** The job may be run or refused: no attempt at it can charge any more. */
  | { readonly kind: 'free' }
  /** The caller's deadline passed before that of the run it joined; the run continues. */
  | { readonly kind: 'too-short'; readonly refusal: DeadlineError }
  /** The record is `left` by a job of another payer. */
  | { readonly kind: 'of-another-payer'; readonly left: Job; readonly refusal: PaymentError }

const FREE: Repeat = { kind: 'free' }

/**
 * Answers a repeat of a finished job from its record, or waits for a job that is running in this or another replica
 * (D22, D23).
 *
 * Resolves to `free` when there is no record of the job, or its response waits for a new payment; with refused terms
 * only once no process can charge for the job any more. Throws a `PaymentError` when the job has another price. A job whose money may be moving is never reported as failed: the caller waits for it, and then
 * gets `pending`.
 */
export async function findRepeat(
  service: Service,
  arrived: ArrivedRequest,
  order: JobOrder,
  payment: ProvenPayment | undefined,
  terms: PaymentTerms,
): Promise<Repeat> {
  const pendingFromMs = service.clock.nowMs() + service.settlements.waitMs
  for (let lookMs = FIRST_LOOK_MS; ; lookMs = Math.min(2 * lookMs, SLOWEST_LOOK_MS)) {
    const askedMs = service.clock.nowMs()
    const stored = await service.looks.look(order.jobKey)
    if (stored === undefined) {
      if (terms.kind === 'agreed' || !isStale(service.clock, askedMs)) return FREE
      // A refusal requires a fresh read of the record.
      if (!(await isTaken(service, order.jobKey))) return FREE
      continue
    }
    const { job } = stored
    if (job.payer !== (payment?.payer ?? '')) return ofAnotherPayer(job)
    if (job.state === 'settled') {
      const { payments } = service
      if (payments !== undefined && payment !== undefined)
        await proveRepeat(service, payments, { arrived, order, payment }, job)
      return repeated(answerSettled(job))
    }
    if (stored.held && !mayWait(service, order)) return pending(order, TOO_MANY)
    if (job.state === 'saved') {
      if (service.clock.nowMs() >= pendingFromMs) return pending(order)
      await takeUpIfAbandoned(service, order.jobKey, stored)
      await service.notifier.wait(order.jobKey, Math.min(lookMs, pendingFromMs - service.clock.nowMs()))
      continue
    }
    if (job.state === 'unpaid' && payment !== undefined) refuseResale(job, order, payment)
    if (!stored.held) {
      if (terms.kind === 'agreed' || (await endAbandonedRun(service, order.jobKey, job))) return FREE
      continue
    }
    if (job.state === 'running' && job.overran) {
      if (terms.kind === 'refused') return FREE
      const leftMs = terms.deadline.atMs - service.clock.nowMs()
      if (leftMs <= 0) return refuseOverrun(service, terms.deadline)
      await service.notifier.wait(order.jobKey, Math.min(OVERRUN_LOOK_MS, leftMs))
      continue
    }
    const joinMs = joinableMs(service, order, job)
    if (joinMs === undefined) return { kind: 'too-short', refusal: new DeadlineError(RUNS_LONGER) }
    if (joinMs <= 0) return pending(order)
    await service.notifier.wait(order.jobKey, Math.min(lookMs, joinMs))
  }
}

function ofAnotherPayer(left: Job): Repeat {
  return {
    kind: 'of-another-payer',
    left,
    refusal: new PaymentError('this job_id is in use by another payer'),
  }
}

function repeated(answer: Answer): Repeat {
  return { kind: 'answered', answer, how: 'repeat' }
}

function pending({ jobId }: JobOrder, error?: string): Repeat {
  return repeated(answerPending(jobId, error))
}

/** Whether another request with a body of this size may wait for the job. */
function mayWait({ notifier }: Service, { bodyBytes, jobKey }: JobOrder): boolean {
  return notifier.waiting(jobKey) < (bodyBytes > LARGE_BODY_BYTES ? LARGE_REPEATS : MOST_REPEATS)
}

/**
 * Refuses a payment that was refused for this response before, or that has another price than the response was made
 * for.
 */
function refuseResale(job: UnpaidJob, { capability }: JobOrder, payment: ProvenPayment): void {
  if (job.refusedPayments.includes(payment.key)) throw refuseUnpaid(job, payment.key)
  if (capability.requirement.amount === job.amount) return
  throw new PaymentError(
    `this job_id is of a job that costs ${job.amount} atomic units: pay for that, or ask under a new job_id`,
  )
}

/**
 * The milliseconds that this caller may still wait for the job; undefined when its own deadline was earlier than the
 * run's and has passed.
 *
 * A caller whose deadline was not earlier waits until the run ends: at its deadline the run has either failed or is
 * about to charge, so a 408 for a caller that only lost the first response could be false. Zero or less: the run has
 * not ended in time, and may still charge.
 */
function joinableMs(service: Service, order: JobOrder, job: RunningJob | UnpaidJob): number | undefined {
  if (job.state !== 'running') return Number.POSITIVE_INFINITY
  const nowMs = service.clock.nowMs()
  const ownMs = order.deadline * 1_000
  if (ownMs >= job.deadlineMs) return Math.max(ownMs, job.deadlineMs + RUN_OVER_MS) - nowMs
  return ownMs > nowMs ? ownMs - nowMs : undefined
}

/**
 * Refuses an order whose deadline leaves no time to wait for an attempt that was answered 408 and is still running
 * (D24). That attempt cannot charge any more.
 */
function refuseOverrun(service: Service, deadline: Deadline): Repeat {
  const refusal = new DeadlineError(
    'the deadline passed while an earlier attempt at this job was still running',
  )
  return { kind: 'refused', refusal: orClockDoubt(service, deadline, refusal) }
}

/** Resumes the settlement of a saved job that no process holds, because its holder died while settling. */
async function takeUpIfAbandoned(service: Service, jobKey: string, stored: StoredJob): Promise<void> {
  if (stored.held) return
  const held = await takeOverJob(service, jobKey, stored.job)
  if (held !== undefined) void service.settlements.resume(held)
}
