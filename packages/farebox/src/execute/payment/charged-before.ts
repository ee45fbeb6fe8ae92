import type { ProvenPayment } from '@farebox/payments/x402/verify-signature'
import { isBoundNonce } from '@farebox/payments/authorization/nonce-binding'
import { CHARGE_COUNTS_SECONDS } from '@farebox/protocol/limits'
import type { ChargeOutcome } from '../../payment-gate/payment-gate.ts'
import { authorizeAgent } from './authorize-agent.ts'
import type { JobOrder } from '../request/job-order.ts'
import { bindingOf } from './reserve-payment.ts'
import type { Payments, Service } from '../service/service.ts'

/** The meaning of an earlier charge of a payment for the job it comes with (D40). */
export type PastCharge =
  /** As far as is known, it was not charged for this job: the job may be refused. */
  | { readonly kind: 'none' }
  /** It is being charged for this job, or it is unknown whether it was. */
  | { readonly kind: 'unknown'; readonly cause: string }
  /** It was recently charged for this job: the job is run again and delivered for that charge. */
  | { readonly kind: 'open'; readonly transaction: string }
  /** It was charged for this job, longer ago than a response is kept. */
  | { readonly kind: 'closed'; readonly transaction: string }

const ASK_MS = 5_000

/** Asks the facilitator whether a payment was charged before, when there is no record of the job that it comes with. */
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
    trace: order.origin.trace,
  })
  return checkPastCharge(service, payments, order, payment, outcome)
}

/**
 * Whether a charge counts for this job: its nonce names the job, or the facilitator charged it for the job. For an
 * unbound payment only the facilitator can confirm that; without a confirmation the charge may belong to any job.
 *
 * A nonce names the agent by its URL. Without `SERVICE_PUBLIC_URL` the caller chooses that URL, and could use it to
 * call another agent of the same wallet: then the facilitator's answer decides (I1).
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
