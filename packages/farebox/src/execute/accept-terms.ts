import { refuseTerms, type ProvenPayment } from '@farebox/payments/check-payment'
import { refuseNonce } from '@farebox/payments/nonce-binding'
import { PaymentError } from '@farebox/protocol/errors/service-errors'
import type { ArrivedRequest } from './arrived-request.ts'
import type { JobOrder } from './job-order.ts'
import type { Payments, Service } from './service.ts'

declare const accepted: unique symbol

/** A proven payment that pays for this job, now, as far as can be told without asking anybody. */
export type AcceptedPayment = ProvenPayment & { readonly [accepted]: true }

/**
 * The second half of the local checks, for a job that is to run: wallet, exact price, times, and the nonce's
 * binding where it has one (D5, D13). Throws a `PaymentError`.
 */
export function acceptTerms(
  service: Service,
  payments: Payments,
  arrived: ArrivedRequest,
  order: JobOrder,
  payment: ProvenPayment,
): AcceptedPayment {
  const { capability, jobId } = order
  const endpoint = payments.executeUrl ?? arrived.calledUrl
  const refused = refuseTerms(payment, capability.requirement, service.clock.nowMs() / 1_000)
    ?? refuseNonce(payments.crypto, payment.authorization.nonce, payment.salt, { endpoint, capability: capability.name, jobId })
  if (refused !== undefined) throw new PaymentError(refused)
  // The one place where the brand is given.
  return payment as AcceptedPayment
}
