import type { ProvenPayment } from '@farebox/payments/x402/verify-signature'
import { encodeHeader, type PaymentResponse } from '@farebox/payments/x402/payment-header'
import { PaymentError } from '@farebox/protocol/errors/service-errors'
import type { Answer } from '../../answer/answer.ts'
import { answerPending, answerSettled } from '../outcome/answer-job.ts'
import type { RefusedTerms } from '../request/agree-on-terms.ts'
import { askForCharge, type PastCharge } from '../payment/charged-before.ts'
import { orClockDoubt } from '../request/clock-doubt.ts'
import { claimJob } from '../run/claim-job.ts'
import { produceResponse } from '../run/produce-response.ts'
import { describeThrown } from '../../handler/describe-thrown.ts'
import type { Deadline } from '../../handler/enforce-deadline.ts'
import { isStale, isTaken } from '../outcome/recheck-job.ts'
import type { JobOrder } from '../request/job-order.ts'
import { HoldLost, type HeldJob } from '../../jobs/renew-leases.ts'
import { releaseAfterFailure } from '../outcome/release-job.ts'
import { orInDoubt } from '../outcome/outcome-in-doubt.ts'
import { keepFinalResponse } from '../outcome/save-response.ts'
import type { Service } from '../service/service.ts'

/**
 * Refuses a request nothing is kept for, unless its payment was charged for this very job before: then the record was
 * lost, and the job is run again and delivered for that charge (D40).
 *
 * Resolves to the 200 or to a 503 that names the transaction; throws the refusal where it is true, a `PaymentError` that
 * names the transaction where the charge is too old, a {@link HoldLost} where the job was taken up meanwhile, and a
 * `TryLater` where this payer asked too often for nothing.
 */
export async function refuseUnlessCharged(
  service: Service,
  order: JobOrder,
  { refusal, mayHavePaid: payment }: RefusedTerms,
): Promise<Answer> {
  const { payments } = service
  if (payments === undefined || payment === undefined) throw refusal
  // Expired authorizations cost nothing to send: asking about them is bounded for each payer as well.
  service.admission.enter(payment.payer)
  const askedMs = service.clock.nowMs()
  const past = await askForCharge(service, payments, order, payment)
  if (past.kind === 'none') {
    service.admission.failed(payment.payer)
    // Asking took its time: the same payment may have bought the job since.
    const isOld = isStale(service.clock, askedMs)
    if (isOld && (await orInDoubt(isTaken(service, order.jobKey))))
      throw new HoldLost('the job was taken up while its payment was asked about', { cause: refusal })
    throw refusal
  }
  if (past.kind !== 'open') return answerPast(service, order, past)
  const deadline = deadlineOfCharged(service, order)
  const held = await orInDoubt(claimJob(service, order, { payment, deadline }))
  if (held === undefined) return answerCharged(order, past.transaction)
  // Asked again under the claim: until then another replica may have delivered, and its record be forgotten.
  const now = await askForCharge(service, payments, order, payment)
  return await deliverCharged(service, { order, held, payment, deadline, past: now, refusal })
}

/**
 * Tells a caller whose own time is over while an attempt at its job is under way; 503 where its payment was charged for
 * this job before, so that no 408 says otherwise.
 */
export async function refuseToWait(
  service: Service,
  order: JobOrder,
  payment: ProvenPayment | undefined,
  refusal: Error,
): Promise<Answer> {
  const payments = service.payments
  if (payments?.gate === undefined || payment === undefined) throw refusal
  const past = await askForCharge(service, payments, order, payment)
  if (past.kind === 'none') throw orClockDoubt(service, { atMs: order.deadline * 1_000 }, refusal)
  return past.kind === 'open' ? answerCharged(order, past.transaction) : answerPast(service, order, past)
}

/** A held job, and the earlier charge it is to be delivered for. */
export interface ChargedJob {
  readonly order: JobOrder
  readonly held: HeldJob
  readonly payment: ProvenPayment
  readonly deadline: Deadline
  readonly past: PastCharge
  /** What is answered where it was not charged after all. */
  readonly refusal: unknown
}

/**
 * Runs a job again for a charge whose record was lost, and answers 200 with the receipt of that charge. Its new record
 * closes the charge: it is kept for longer than the charge counts.
 *
 * A run that fails is answered 503, not by its failure: that would say that nothing was charged (I5). Lets go of the job
 * in any case; throws as {@link refuseUnlessCharged} does.
 */
export async function deliverCharged(service: Service, job: ChargedJob): Promise<Answer> {
  const { order, held, payment, deadline, past, refusal } = job
  if (past.kind === 'none') return await releaseAfterFailure(service, held, undefined, refusal)
  if (past.kind !== 'open') {
    await releaseQuietly(service, held, new Error(`a payment that was charged before: ${past.kind}`))
    return answerPast(service, order, past)
  }
  const { transaction } = past
  service.log.warn('the record of a charged job was lost; running the job again', {
    transaction,
    job: order.jobId,
  })
  try {
    const response =
      held.job.state === 'unpaid' ? held.job.response : await produceResponse(service, order, held, deadline)
    const paid = { paymentKey: payment.key, paymentResponse: receiptOf(payment, transaction) }
    const settled = await keepFinalResponse(held, response, paid)
    service.notifier.notify(order.jobKey)
    service.log.job('completed', order.jobId, { transaction })
    return answerSettled(settled)
  } catch (error) {
    const cause = describeThrown(error)
    service.log.warn('a charged job failed when it was run again', {
      cause,
      job: order.jobId,
    })
    await releaseQuietly(service, held, error)
    return answerCharged(order, transaction)
  }
}

/** As asked; a charge is owed whenever its job is asked for, so that a deadline that has passed is replaced. */
function deadlineOfCharged({ clock, declaration }: Service, order: JobOrder): Deadline {
  const nowMs = clock.nowMs()
  const askedMs = order.deadline * 1_000
  return { atMs: askedMs > nowMs ? askedMs : nowMs + declaration.max_deadline_seconds * 1_000 }
}

function answerPast(
  service: Service,
  order: JobOrder,
  past: Exclude<PastCharge, { kind: 'none' | 'open' }>,
): Answer {
  if (past.kind === 'closed') {
    throw new PaymentError(
      `this payment was charged for this job_id in ${past.transaction}, and its ten minutes are over: ` +
        'sign a new payment for a new run',
    )
  }
  service.log.warn('it is not known yet whether a payment was charged before', {
    cause: past.cause,
    job: order.jobId,
  })
  return answerPending(order.jobId)
}

/** The 503 for a job that is paid and could not be delivered at this moment. */
function answerCharged(order: JobOrder, transaction: string): Answer {
  return answerPending(
    order.jobId,
    `this payment was charged in ${transaction}, its job is run again: repeat the same job_id with the same payment header`,
  )
}

/** Only {@link HoldLost} passes: then another process has the job, and answers for it. */
async function releaseQuietly(service: Service, held: HeldJob, failure: unknown): Promise<void> {
  try {
    await releaseAfterFailure(service, held, undefined, failure)
  } catch (error) {
    if (error instanceof HoldLost) throw error
  }
}

function receiptOf({ network, authorization }: ProvenPayment, transaction: string): string {
  const response: PaymentResponse = {
    success: true,
    transaction,
    network: network.id,
    payer: authorization.from,
    amount: authorization.value,
  }
  return encodeHeader(response)
}
