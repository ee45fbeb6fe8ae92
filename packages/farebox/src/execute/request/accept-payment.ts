import { checkTerms, refuseTerms } from '@farebox/payments/x402/check-terms'
import type { ProvenPayment } from '@farebox/payments/x402/verify-signature'
import { refuseNonce } from '@farebox/payments/authorization/nonce-binding'
import { PaymentError } from '@farebox/protocol/errors/service-errors'
import { SETTLE_MARGIN_SECONDS } from '@farebox/protocol/limits'
import type { ArrivedRequest } from './arrived-request.ts'
import type { JobOrder } from './job-order.ts'
import type { Payments, Service } from '../service/service.ts'

declare const accepted: unique symbol

/** A proven payment that pays for this job, now, as far as is known without asking anybody. */
export type AcceptedPayment = ProvenPayment & { readonly [accepted]: true }

/**
 * The second half of the local checks, for a job that is to run: wallet, exact price, times, and the nonce's
 * binding where it has one (D5, D13). Throws a `PaymentError`.
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
  // The one place where the brand is given.
  return payment as AcceptedPayment
}

/**
 * Could an earlier attempt at this job have charged this payment, although it is refused now? It pays this wallet this
 * price, its nonce names this job or none, and it is in time but for its end: it may have been charged before that. Our
 * clock may have been set since, so that it does not matter how long ago the end was.
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

/** Is the nonce, where it is bound, bound to this job under this capability, and its salt shown (D13)? */
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

/** Why the nonce is not good for this job (D13): it is bound to another, or comes without its salt. */
function refuseBinding(
  payments: Payments,
  arrived: ArrivedRequest,
  { capability, jobId }: { readonly capability: { readonly name: string }; readonly jobId: string },
  { authorization, salt }: ProvenPayment,
): string | undefined {
  return refuseAtEvery(endpoints(payments, arrived), endpoint =>
    refuseNonce(payments.crypto, authorization.nonce, salt, { endpoint, capability: capability.name, jobId }),
  )
}

/** Where no public URL is configured, a proxy may have taken the TLS off: the host is known, the scheme is not. */
function endpoints(payments: Payments, { calledUrl }: ArrivedRequest): readonly string[] {
  return payments.executeUrl === undefined
    ? [calledUrl, calledUrl.replace(/^http:/, 'https:')]
    : [payments.executeUrl]
}

function refuseAtEvery(
  candidates: readonly string[],
  refuse: (endpoint: string) => string | undefined,
): string | undefined {
  const reasons = candidates.map(refuse)
  return reasons.includes(undefined) ? undefined : reasons[0]
}
