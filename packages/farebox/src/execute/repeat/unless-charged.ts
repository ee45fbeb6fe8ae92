import type { ProvenPayment } from '@farebox/payments/x402/verify-signature'
import { PaymentError } from '@farebox/protocol/errors/service-errors'
import type { Deadline } from '../../handler/enforce-deadline.ts'
import type { Job } from '../../jobs/job.ts'
import type { HeldJob } from '../../jobs/renew-leases.ts'
import type { ChargeOutcome } from '../../payment-gate/payment-gate.ts'
import { answerPending } from '../outcome/answer-job.ts'
import { orInDoubt } from '../outcome/outcome-in-doubt.ts'
import { isTaken } from '../outcome/recheck-job.ts'
import { releaseAfterFailure, releaseQuietly } from '../outcome/release-job.ts'
import { answered, refused, TAKEN, type Served } from '../outcome/served.ts'
import { askForCharge, checkPastCharge, type PastCharge } from '../payment/charged-before.ts'
import type { JobOrder } from '../request/job-order.ts'
import { claimJob, endUnsold } from '../run/claim-job.ts'
import type { Service } from '../service/service.ts'
import { answerCharged, deliverCharged } from './deliver-charged.ts'

/** The job that a refusal is about. */
type DueJob =
  /** No process holds it. */
  | 'free'
  /** An attempt that the caller cannot wait for holds it. */
  | 'running'
  /** Its record is `left` by a job of another payer. */
  | { readonly left: Job }
  /** It is held here. */
  | HeldHere

interface HeldHere {
  readonly held: HeldJob
  readonly deadline: Deadline
}

/** A refusal that applies unless the payment was already charged for this job. */
export interface DueRefusal {
  readonly refusal: unknown
  /**
   * Makes the refusal that is sent, because the facilitator's answer may have shown a clock difference; default:
   * `refusal`.
   */
  readonly asSent?: () => unknown
  /** Undefined: no attempt at this job can have charged anything. */
  readonly payment: ProvenPayment | undefined
  readonly job: DueJob
  /** The facilitator's answer about the payment; undefined: the facilitator is asked. */
  readonly charge?: ChargeOutcome
}

/**
 * Asks whether a payment was already charged for this job, and refuses the order only if it was not (D40):
 *
 * - none: the refusal;
 * - open: the record of the charge was lost; the job is run again and delivered for that charge. A job of another
 *   payer that took the job_id since ends if it is unsold; if it is sold: a `PaymentError` that names the transaction;
 * - closed: a `PaymentError` that names the transaction;
 * - unknown: 503.
 *
 * Throws a `TryLater` when this payer has had too many failed attempts. A job that is held here is released in any
 * case.
 */
export async function refuseUnlessCharged(
  service: Service,
  order: JobOrder,
  due: DueRefusal,
): Promise<Served> {
  const { payments, admission } = service
  const { payment, job, charge } = due
  if (payments === undefined || payment === undefined) return refused(sentOf(due))
  // Expired authorizations cost nothing to send, so the number of these questions is limited per payer as well.
  const held = heldHere(job)
  const isCounted = held === undefined && job !== 'running'
  if (isCounted) admission.enter(payment.payer)
  const past =
    charge === undefined
      ? await askForCharge(service, payments, order, payment)
      : checkPastCharge(service, payments, order, payment, charge)
  if (past.kind === 'none') {
    if (isCounted) admission.failed(payment.payer)
    return await refuseUncharged(service, order, due)
  }
  if (past.kind === 'open')
    return await deliver(service, order, due, { payment, transaction: past.transaction })
  const isTakenOver =
    held !== undefined &&
    (await releaseQuietly(service, held.held, new Error(`a payment that was charged before: ${past.kind}`)))
  return isTakenOver ? TAKEN : servePast(service, order, past)
}

function heldHere(job: DueJob): HeldHere | undefined {
  return typeof job === 'object' && 'held' in job ? job : undefined
}

function sentOf({ refusal, asSent }: DueRefusal): unknown {
  return asSent === undefined ? refusal : asSent()
}

async function refuseUncharged(service: Service, order: JobOrder, due: DueRefusal): Promise<Served> {
  const { job, refusal } = due
  const held = heldHere(job)
  if (held !== undefined) {
    const released = await releaseAfterFailure(service, held.held, undefined, refusal)
    return released.kind === 'refused' ? refused(sentOf(due)) : released
  }
  // While the facilitator was asked, an earlier request may have claimed the job: its caller may have given it up unanswered.
  if (job === 'free' && (await orInDoubt(isTaken(service, order.jobKey)))) return TAKEN
  return refused(sentOf(due))
}

async function deliver(
  service: Service,
  order: JobOrder,
  due: DueRefusal,
  charged: { readonly payment: ProvenPayment; readonly transaction: string },
): Promise<Served> {
  const { job } = due
  const { payment, transaction } = charged
  const heldJob = heldHere(job)
  if (heldJob !== undefined) return await deliverCharged(service, order, heldJob, charged)
  if (job === 'running') return answered(answerCharged(order, transaction))
  if (typeof job === 'object' && 'left' in job) {
    const { left } = job
    if (left.state === 'settled') return refused(new PaymentError(soldMessage(transaction)))
    if (!(await orInDoubt(endUnsold(service, order.jobKey, left))))
      return answered(answerCharged(order, transaction))
  }
  const deadline = deadlineOfCharged(service, order)
  const held = await orInDoubt(claimJob(service, order, { payment, deadline }))
  if (held === undefined) return answered(answerCharged(order, transaction))
  // The charge is checked again under the claim: another replica may have delivered the job before, and its record may
  // have expired.
  return await refuseUnlessCharged(service, order, { ...due, job: { held, deadline } })
}

/** A job_id has one answer, and its payer has it: the charge is named, so that it can be shown to the agent's owner. */
function soldMessage(transaction: string): string {
  return (
    `this payment was charged for this job_id in ${transaction}, but the agent lost the record of the job and has ` +
    'sold the job_id to another payer since: ask the owner of the agent to return the amount'
  )
}

/** The requested deadline, or a new one when that has passed: a charge is owed whenever its job is requested. */
function deadlineOfCharged({ clock, declaration }: Service, order: JobOrder): Deadline {
  const nowMs = clock.nowMs()
  const askedMs = order.deadline * 1_000
  return { atMs: askedMs > nowMs ? askedMs : nowMs + declaration.max_deadline_seconds * 1_000 }
}

function servePast(
  service: Service,
  order: JobOrder,
  past: Extract<PastCharge, { kind: 'closed' | 'unknown' }>,
): Served {
  if (past.kind === 'closed') {
    const message =
      `this payment was charged for this job_id in ${past.transaction}, and its ten minutes are over: ` +
      'sign a new payment for a new run'
    return refused(new PaymentError(message))
  }
  service.log.warn('it is not known yet whether a payment was charged before', {
    cause: past.cause,
    job: order.jobId,
  })
  return answered(answerPending(order.jobId))
}
