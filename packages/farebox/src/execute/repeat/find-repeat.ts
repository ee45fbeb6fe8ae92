import type { ProvenPayment } from '@farebox/payments/x402/verify-signature'
import { DeadlineError, PaymentError } from '@farebox/protocol/errors/service-errors'
import { LARGE_BODY_BYTES } from '@farebox/protocol/limits'
import type { Answer } from '../../answer/answer.ts'
import type { RunningJob, UnpaidJob } from '../../jobs/job.ts'
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

/** How often another process's job is looked at: soon at first, because most jobs are short. */
const FIRST_LOOK_MS = 5
const SLOWEST_LOOK_MS = 100

/** So often an attempt that overran is looked at where it is another process's; its own process notifies. */
const OVERRUN_LOOK_MS = 500

/** A run past its deadline says within this how it ended. */
const RUN_OVER_MS = 2_000

/** So many requests wait for one job in a process, and so many with large bodies: each keeps its body, and pays nothing. */
const MOST_REPEATS = 256
const LARGE_REPEATS = 8
const RUNS_LONGER =
  'an earlier request for this job is still running: repeat the same job_id with a later deadline'
const TOO_MANY = 'too many requests wait for this job: repeat the same job_id with the same payment header'

/** What the record of a job means for an order. */
export type Repeat =
  | Extract<Served, { kind: 'answered' | 'refused' }>
  /** The job may be run, or refused: no attempt at it can charge any more. */
  | { readonly kind: 'free' }
  /** The caller's own time was over before that of the run it joined, which goes on. */
  | { readonly kind: 'too-short'; readonly refusal: DeadlineError }

const FREE: Repeat = { kind: 'free' }

/**
 * Answers a repeat of a job that is done, or joins one that is under way, here or on another replica (D22, D23).
 *
 * Resolves to `free` where nothing is kept of the job, or its response waits for a new payment; and where it is not to run,
 * because its terms are refused, once nobody can charge for it any more. Throws a `PaymentError` for another payer's job or
 * price. A job whose money may be moving is never a failure: it is awaited, then pending.
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
      // A refusal is decided on a fresh read.
      if (!(await isTaken(service, order.jobKey))) return FREE
      continue
    }
    const { job } = stored
    if (job.payer !== (payment?.payer ?? '')) throw new PaymentError('this job_id is in use by another payer')
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

function repeated(answer: Answer): Repeat {
  return { kind: 'answered', answer, how: 'repeat' }
}

function pending({ jobId }: JobOrder, error?: string): Repeat {
  return repeated(answerPending(jobId, error))
}

/** Whether one more with a body of this size may wait for the job. */
function mayWait({ notifier }: Service, { bodyBytes, jobKey }: JobOrder): boolean {
  return notifier.waiting(jobKey) < (bodyBytes > LARGE_BODY_BYTES ? LARGE_REPEATS : MOST_REPEATS)
}

/** A response that was not paid for is sold to a payment not refused before, at the price it was made for. */
function refuseResale(job: UnpaidJob, { capability }: JobOrder, payment: ProvenPayment): void {
  if (job.refusedPayments.includes(payment.key)) throw refuseUnpaid(job, payment.key)
  if (capability.requirement.amount === job.amount) return
  throw new PaymentError(
    `this job_id is of a job that costs ${job.amount} atomic units: pay for that, or ask under a new job_id`,
  )
}

/**
 * How long this caller may still wait for the job; undefined where its own deadline was earlier than the run's, and has
 * passed.
 *
 * Where it was not earlier the run is waited out: at that moment it either failed or is about to charge, and a 408
 * to the one who only lost the first answer would then be a lie about money. Zero or less: nobody has said in time
 * how the run ended, and it may still charge.
 */
function joinableMs(service: Service, order: JobOrder, job: RunningJob | UnpaidJob): number | undefined {
  if (job.state !== 'running') return Number.POSITIVE_INFINITY
  const nowMs = service.clock.nowMs()
  const ownMs = order.deadline * 1_000
  if (ownMs >= job.deadlineMs) return Math.max(ownMs, job.deadlineMs + RUN_OVER_MS) - nowMs
  return ownMs > nowMs ? ownMs - nowMs : undefined
}

/**
 * There is no time to wait for the end of an attempt that was answered 408 and still goes on (D24). It can charge nothing any
 * more.
 */
function refuseOverrun(service: Service, deadline: Deadline): Repeat {
  const refusal = new DeadlineError(
    'the deadline passed while an earlier attempt at this job was still running',
  )
  return { kind: 'refused', refusal: orClockDoubt(service, deadline, refusal) }
}

/** A saved job that nobody holds was left by a process that died while settling: its settlement goes on here. */
async function takeUpIfAbandoned(service: Service, jobKey: string, stored: StoredJob): Promise<void> {
  if (stored.held) return
  const held = await takeOverJob(service, jobKey, stored.job)
  if (held !== undefined) void service.settlements.resume(held)
}
