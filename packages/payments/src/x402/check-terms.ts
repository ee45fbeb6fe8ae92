import { MAX_AUTHORIZATION_SECONDS, SETTLE_MARGIN_SECONDS } from '@farebox/protocol/limits'
import type { Authorization } from '../authorization/eip-3009.ts'
import { sameAddress } from '../crypto/address.ts'
import type { PaymentRequirement } from './requirement.ts'
import type { ProvenPayment } from './verify-signature.ts'

/** Why a payment does not meet a requirement: the part in question, and a sentence for the payer. */
export interface TermsRefusal {
  readonly field: 'to' | 'value' | 'accepted' | 'validAfter' | 'validBefore'
  readonly reason: string
}

/**
 * Checks whether a payment with a verified signature meets this requirement now (D5). The bound nonce is checked separately
 * by `refuseNonce`, where the job is known.
 *
 * Returns the reason for a refusal, undefined when the payment meets the requirement.
 *
 * @example
 * ```ts
 * import { refuseTerms } from '@farebox/payments/x402/check-terms'
 * import type { PaymentRequirement } from '@farebox/payments/x402/requirement'
 * import type { ProvenPayment } from '@farebox/payments/x402/verify-signature'
 *
 * export function pays(payment: ProvenPayment, requirement: PaymentRequirement): boolean {
 *   return refuseTerms(payment, requirement, Date.now() / 1_000) === undefined
 * }
 * ```
 */
export function refuseTerms(
  payment: ProvenPayment,
  requirement: RequiredTerms,
  nowSeconds: number,
): string | undefined {
  return checkTerms(payment, requirement, nowSeconds)?.reason
}

/** The part of a requirement that a payment must meet. */
export type RequiredTerms = Pick<PaymentRequirement, 'payTo' | 'amount'>

/** {@link refuseTerms} for a facilitator, which responds with a name for each kind of refusal. */
export function checkTerms(
  payment: ProvenPayment,
  requirement: RequiredTerms,
  nowSeconds: number,
): TermsRefusal | undefined {
  const { authorization, accepted } = payment
  if (!sameAddress(authorization.to, requirement.payTo)) {
    return { field: 'to', reason: `authorization.to must be ${requirement.payTo}, this pays another wallet` }
  }
  if (authorization.value !== requirement.amount) {
    return {
      field: 'value',
      reason: `authorization.value must be exactly ${requirement.amount} atomic units, got ${authorization.value}`,
    }
  }
  if (
    accepted !== undefined &&
    (accepted.amount !== requirement.amount || !sameAddress(accepted.payTo, requirement.payTo))
  ) {
    return { field: 'accepted', reason: 'accepted does not agree with what this capability asks now' }
  }
  return checkTimes(authorization, nowSeconds)
}

function checkTimes(
  { validAfter, validBefore }: Authorization,
  nowSeconds: number,
): TermsRefusal | undefined {
  const before = Number(validBefore)
  if (Number(validAfter) >= nowSeconds)
    return { field: 'validAfter', reason: 'authorization.validAfter is not past yet' }
  const reason =
    before <= nowSeconds
      ? 'the authorization has expired: sign a new one'
      : before < nowSeconds + SETTLE_MARGIN_SECONDS
        ? `authorization.validBefore must be at least ${SETTLE_MARGIN_SECONDS} s from now, to leave time to settle`
        : before > nowSeconds + MAX_AUTHORIZATION_SECONDS
          ? 'authorization.validBefore must be within 24 h from now'
          : undefined
  return reason === undefined ? undefined : { field: 'validBefore', reason }
}
