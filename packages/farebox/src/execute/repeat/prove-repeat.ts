import { refuseTerms } from '@farebox/payments/x402/check-terms'
import type { ProvenPayment } from '@farebox/payments/x402/verify-signature'
import { isBoundNonce } from '@farebox/payments/authorization/nonce-binding'
import { PaymentError } from '@farebox/protocol/errors/service-errors'
import type { SettledJob } from '../../jobs/job.ts'
import { namesJob } from '../request/accept-payment.ts'
import type { ArrivedRequest } from '../request/arrived-request.ts'
import { authorizeAgent } from '../payment/authorize-agent.ts'
import type { JobOrder } from '../request/job-order.ts'
import { OutcomeInDoubt } from '../outcome/outcome-in-doubt.ts'
import { bindingOf } from '../payment/reserve-payment.ts'
import type { Payments, Service } from '../service/service.ts'

const ASK_MS = 5_000

/**
 * Checks that a repeat comes from the payer (D40). A settled authorization and its signature can be read on the chain,
 * so that a request rebuilt from there proves nothing. Proofs of the payer are:
 *
 * - a bound nonce with its salt, which is on no chain;
 * - the unbound authorization that paid for this job: there the job_id is the only secret, as SECURITY.md says;
 * - another unbound authorization that pays this agent now and was not used.
 *
 * Throws a `PaymentError` without such a proof, and {@link OutcomeInDoubt} when the facilitator does not say whether
 * the authorization was used.
 */
export async function proveRepeat(
  service: Service,
  payments: Payments,
  repeat: { readonly arrived: ArrivedRequest; readonly order: JobOrder; readonly payment: ProvenPayment },
  job: SettledJob,
): Promise<void> {
  const { arrived, order, payment } = repeat
  if (isBoundNonce(payment.authorization.nonce)) {
    const names = [...service.capabilities.keys()].some(name =>
      namesJob(payments, arrived, payment, name, order),
    )
    if (names) return
    throw new PaymentError(
      'a repeat must come with the salt of its payment: its nonce is bound to another job, or the salt is missing',
    )
  }
  if (job.paymentKey === undefined || job.paymentKey === payment.key) return
  const nowSeconds = service.clock.nowMs() / 1_000
  const paysUs = [...service.capabilities.values()].some(
    ({ requirement }) => refuseTerms(payment, requirement, nowSeconds) === undefined,
  )
  if (!paysUs) throw new PaymentError('this payment did not pay this job_id, and does not pay this agent now')
  const charge = await authorizeAgent(payments).findCharge(payment, {
    requirement: order.capability.requirement,
    binding: bindingOf(service, payments.crypto, order),
    timeoutMs: ASK_MS,
    trace: order.origin.trace,
  })
  if (charge.kind === 'none') return
  if (charge.kind === 'unknown')
    throw new OutcomeInDoubt('nobody says whether the payment of a repeat was used', { cause: charge.cause })
  throw new PaymentError('this payment was used for another job: it proves nothing any more')
}
