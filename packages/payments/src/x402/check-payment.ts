import { MAX_AUTHORIZATION_SECONDS, SETTLE_MARGIN_SECONDS } from '@farebox/protocol/limits'
import { sameAddress } from '../crypto/address.ts'
import { createAuthorizationHasher, paymentKey, type Authorization } from '../authorization/authorization.ts'
import { fromHex } from '../crypto/bytes.ts'
import type { EvmCrypto } from '../crypto/evm-crypto.ts'
import type { Network } from '../networks.ts'
import type { DecodedPayment } from './payment-header.ts'
import type { PaymentRequirement } from './requirement.ts'

declare const proven: unique symbol

/** A payment whose signature recovers to its payer; what it pays for is not yet checked. */
export interface ProvenPayment {
  /** Made by {@link PaymentChecker.provePayer} alone. */
  readonly [proven]: true
  /** (chain id, asset, from, nonce): see `paymentKey`. */
  readonly key: string
  /** Lower-case. */
  readonly payer: string
  readonly network: Network
  readonly authorization: Authorization
  readonly signature: string
  readonly salt: string | undefined
  readonly accepted: DecodedPayment['accepted']
}

/** A check's outcome: the value, or a sentence for the payer. */
export type Checked<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly reason: string }

/** The checks of a payment that need no network (D5), for the networks an agent or facilitator takes. */
export interface PaymentChecker {
  /** First half: a network and an asset of ours, and a signature by the one who pays. About 80 µs natively. */
  provePayer(payment: DecodedPayment): Checked<ProvenPayment>
}

/**
 * Makes the checker; the EIP-712 domains come from our own table, never from the payment (D4).
 *
 * @example
 * ```ts
 * import { loadEvmCrypto } from '@farebox/payments/crypto/evm-crypto'
 * import type { Network } from '@farebox/payments/networks'
 * import { createPaymentChecker, refuseTerms, type RequiredTerms } from '@farebox/payments/x402/check-payment'
 * import { decodePaymentHeader } from '@farebox/payments/x402/payment-header'
 *
 * // Why this header does not pay; undefined where its signature and its terms are good.
 * export async function refuse(header: string, terms: RequiredTerms, network: Network) {
 *   const read = decodePaymentHeader(header)
 *   if (!read.ok) return read.reason
 *   const proven = createPaymentChecker(await loadEvmCrypto(), [network]).provePayer(read.payment)
 *   return proven.ok ? refuseTerms(proven.value, terms, Date.now() / 1_000) : proven.reason
 * }
 * ```
 */
export function createPaymentChecker(crypto: EvmCrypto, networks: readonly Network[]): PaymentChecker {
  const accepted = new Map(
    networks.map(network => [network.id, { network, hasher: createAuthorizationHasher(crypto, network) }]),
  )
  return {
    provePayer(payment) {
      const known = accepted.get(payment.network)
      if (known === undefined) {
        return refuse(
          `network ${payment.network} is not accepted here, pay on ${[...accepted.keys()].join(' or ')}`,
        )
      }
      const { network, hasher } = known
      if (payment.asset !== undefined && payment.asset !== network.asset.address) {
        return refuse(`asset ${payment.asset} is not accepted here, pay in USDC at ${network.asset.address}`)
      }
      const { authorization, signature, salt } = payment
      const signer = crypto.recoverAddress(hasher.hashTransfer(authorization), fromHex(signature))
      if (signer === undefined || signer !== authorization.from) {
        return refuse('the signature is not by authorization.from for this token and chain')
      }
      const value = {
        key: paymentKey(network, authorization),
        payer: authorization.from,
        network,
        authorization,
        signature,
        salt,
        accepted: payment.accepted,
      }
      // The one place where the brand is given: the signature was recovered above.
      return { ok: true, value: value as ProvenPayment }
    },
  }
}

/** Why a payment does not pay a requirement: which part of it, and a sentence for the payer. */
export interface TermsRefusal {
  readonly field: 'to' | 'value' | 'accepted' | 'validAfter' | 'validBefore'
  readonly reason: string
}

/**
 * The second half of the local checks: does this payment pay this requirement now (D5)? The bound nonce is
 * checked beside it, by `refuseNonce`, where the job is known.
 *
 * Returns the reason where it is refused, undefined where it is good.
 */
export function refuseTerms(
  payment: ProvenPayment,
  requirement: RequiredTerms,
  nowSeconds: number,
): string | undefined {
  return judgeTerms(payment, requirement, nowSeconds)?.reason
}

/** The part of a requirement that a payment is measured by. */
export type RequiredTerms = Pick<PaymentRequirement, 'payTo' | 'amount'>

/** {@link refuseTerms} for a facilitator, which answers with a name for each kind of refusal. */
export function judgeTerms(
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
  return judgeTimes(authorization, nowSeconds)
}

function judgeTimes(
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

function refuse(reason: string): { readonly ok: false; readonly reason: string } {
  return { ok: false, reason }
}
