import type { ProvenPayment } from '@farebox/payments/x402/verify-signature'
import { isBoundNonce } from '@farebox/payments/authorization/nonce-binding'
import { CHARGE_COUNTS_SECONDS } from '@farebox/protocol/limits'
import type { ChargeOutcome } from '../../payment-gate/payment-gate.ts'
import { authorizeAgent } from './authorize-agent.ts'
import type { JobOrder } from '../request/job-order.ts'
import { bindingOf } from './reserve-payment.ts'
import type { Payments, Service } from '../service/service.ts'

/** What an earlier charge of a payment means for the job it comes with (D40). */
export type PastCharge =
  /** It was not charged for this job, as far as anybody knows: a refusal is true. */
  | { readonly kind: 'none' }
  /** It is being charged for this job, or nobody says whether it was. */
  | { readonly kind: 'unknown'; readonly cause: string }
  /** It was charged for this job not long ago: the job is run again and delivered for it. */
  | { readonly kind: 'open'; readonly transaction: string }
  /** It was charged for this job, and longer ago than a response is kept. */
  | { readonly kind: 'closed'; readonly transaction: string }

const ASK_MS = 5_000

/** Asks whether a payment was charged before, where nothing is kept of the job that it comes with. */
export async function askForCharge(
  service: Service,
  payments: Payments,
  order: JobOrder,
  payment: ProvenPayment,
): Promise<PastCharge> {
  const outcome = await authorizeAgent(payments).findCharge(payment, {
    requirement: order.capability.requirement,
    binding: bindingOf(service, payments.crypto, order),
    timeoutMs: ASK_MS,
  })
  return checkPastCharge(service, payments, order, payment, outcome)
}

/**
 * A charge counts for the job that its nonce names, or that the facilitator charged it for. Of an unbound payment only
 * the facilitator can say what it was for: without that its charge may be of any job.
 *
 * A nonce names the agent by its URL. Without `SERVICE_PUBLIC_URL` the caller says what that is, and can call another
 * agent of the same wallet by it: there the facilitator's word decides (I1).
 */
export function checkPastCharge(
  service: Service,
  payments: Payments,
  order: JobOrder,
  { authorization }: ProvenPayment,
  outcome: ChargeOutcome,
): PastCharge {
  if (outcome.kind === 'none') return outcome
  if (outcome.kind === 'unknown') return outcome
  const isConfirmed = outcome.binding === bindingOf(service, payments.crypto, order)
  const isNamed =
    isBoundNonce(authorization.nonce) && (outcome.binding === undefined || payments.executeUrl !== undefined)
  if (!isConfirmed && !isNamed) return { kind: 'none' }
  if (outcome.kind === 'pending') return { kind: 'unknown', cause: 'its settlement is under way' }
  const { transaction, ageSeconds } = outcome
  return { kind: ageSeconds < CHARGE_COUNTS_SECONDS ? 'open' : 'closed', transaction }
}
