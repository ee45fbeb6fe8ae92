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
  const refused =
    refuseTerms(payment, capability.requirement, service.clock.nowMs() / 1_000) ??
    refuseAtEvery(endpoints(payments, arrived), endpoint =>
      refuseNonce(payments.crypto, payment.authorization.nonce, payment.salt, {
        endpoint,
        capability: capability.name,
        jobId,
      }),
    )
  if (refused !== undefined) throw new PaymentError(refused)
  // The one place where the brand is given.
  return payment as AcceptedPayment
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
