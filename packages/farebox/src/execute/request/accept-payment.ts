import { checkTerms, refuseTerms } from '@farebox/payments/x402/check-terms'
import type { ProvenPayment } from '@farebox/payments/x402/verify-signature'
import { refuseNonce } from '@farebox/payments/authorization/nonce-binding'
import { PaymentError } from '@farebox/protocol/errors/service-errors'
import { SETTLE_MARGIN_SECONDS } from '@farebox/protocol/limits'
import type { ArrivedRequest } from './arrived-request.ts'
import type { JobOrder } from './job-order.ts'
import type { Payments, Service } from '../service/service.ts'

declare const accepted: unique symbol

/** A proven payment that, by all local checks, pays for this job now. */
export type AcceptedPayment = ProvenPayment & { readonly [accepted]: true }

/**
 * The second half of the local checks, for a job that is to run: wallet, exact price, times, and the nonce's binding if
 * it has one (D5, D13). Throws a `PaymentError`.
 */
export function acceptPayment(
  service: Service,
  payments: Payments,
  arrived: ArrivedRequest,
  order: JobOrder,
  payment: ProvenPayment,
): AcceptedPayment {
  const refusal =
    refuseTerms(payment, order.capability.requirement, service.clock.nowMs() / 1_000) ??
    refuseBinding(payments, arrived, order, payment)
  if (refusal !== undefined) throw new PaymentError(refusal)
  // The only place that creates the branded type.
  return payment as AcceptedPayment
}

/**
 * Whether an earlier attempt at this job may have charged this payment, although it is refused now: it pays this wallet
 * this price, its nonce names this job or none, and the only fault is that it has expired, so it may have been charged
 * before. How long ago it expired does not matter, because this machine's clock may have been changed since.
 */
export function mayHavePaid(
  service: Service,
  payments: Payments,
  arrived: ArrivedRequest,
  order: JobOrder,
  payment: ProvenPayment,
): boolean {
  const nowSeconds = service.clock.nowMs() / 1_000
  const refusal = checkTerms(payment, order.capability.requirement, nowSeconds)
  const isPast =
    refusal?.field === 'validBefore' &&
    Number(payment.authorization.validBefore) < nowSeconds + SETTLE_MARGIN_SECONDS
  if (refusal !== undefined && !isPast) return false
  return refuseBinding(payments, arrived, order, payment) === undefined
}

/** Whether the nonce, if it is bound, names this job and capability and comes with its salt (D13). */
export function namesJob(
  payments: Payments,
  arrived: ArrivedRequest,
  payment: ProvenPayment,
  capability: string,
  order: Pick<JobOrder, 'jobId'>,
): boolean {
  return (
    refuseBinding(payments, arrived, { capability: { name: capability }, jobId: order.jobId }, payment) ===
    undefined
  )
}

/** The reason why the nonce is not valid for this job (D13): it names another job, or comes without its salt. */
function refuseBinding(
  payments: Payments,
  arrived: ArrivedRequest,
  { capability, jobId }: { readonly capability: { readonly name: string }; readonly jobId: string },
  { authorization, salt }: ProvenPayment,
): string | undefined {
  const refuseAt = (endpoint: string): string | undefined =>
    refuseNonce(payments.crypto, authorization.nonce, salt, { endpoint, capability: capability.name, jobId })
  const called = calledAddresses(arrived)
  const own = payments.executeUrl === undefined ? called : [payments.executeUrl]
  const reasons = own.map(refuseAt)
  if (reasons.includes(undefined)) return undefined
  if (salt === undefined) return reasons[0]
  // Behind a proxy, a wrong address is the usual fault.
  const isCalled = called.some(endpoint => refuseAt(endpoint) === undefined)
  return isCalled
    ? `the nonce is bound to the called address, but by its SERVICE_PUBLIC_URL this agent is at ${own[0]}`
    : `${reasons[0]}, or to another address than ${own[0]}: is SERVICE_PUBLIC_URL the address that callers use?`
}

/** Only the host of the called address is known, not the scheme: a proxy may terminate TLS. */
function calledAddresses({ calledUrl }: ArrivedRequest): readonly string[] {
  return [calledUrl, calledUrl.replace(/^http:/, 'https:')]
}
