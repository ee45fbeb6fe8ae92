import { createAuthorizationHasher, paymentKey, type Authorization } from '../authorization/eip-3009.ts'
import { fromHex } from '../crypto/bytes.ts'
import type { EvmCrypto } from '../crypto/evm-crypto.ts'
import type { Network } from '../networks.ts'
import type { DecodedPayment } from './payment-header.ts'

declare const proven: unique symbol

/** A payment whose signature recovers to its payer; its terms are not checked yet. */
export interface ProvenPayment {
  /** Only {@link SignatureVerifier.provePayer} creates this brand. */
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

/** The result of a check: the value, or a sentence for the payer. */
export type Checked<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly reason: string }

/**
 * Verifies the signature of a payment without a network request (D5), for the networks that an agent or facilitator accepts.
 */
export interface SignatureVerifier {
  /** Checks that network and asset are supported and that the payer signed. Takes about 80 µs natively. */
  provePayer(payment: DecodedPayment): Checked<ProvenPayment>
}

/**
 * Creates the verifier; the EIP-712 domains come from the built-in table, never from the payment (D4).
 *
 * @example
 * ```ts
 * import { loadEvmCrypto } from '@farebox/payments/crypto/evm-crypto'
 * import type { Network } from '@farebox/payments/networks'
 * import { decodePaymentHeader } from '@farebox/payments/x402/payment-header'
 * import { createSignatureVerifier } from '@farebox/payments/x402/verify-signature'
 *
 * // Who signed this header; undefined where it cannot be read or the signature is not by its payer.
 * export async function payerOf(header: string, network: Network) {
 *   const read = decodePaymentHeader(header)
 *   if (!read.ok) return undefined
 *   const proven = createSignatureVerifier(await loadEvmCrypto(), [network]).provePayer(read.payment)
 *   return proven.ok ? proven.value.payer : undefined
 * }
 * ```
 */
export function createSignatureVerifier(crypto: EvmCrypto, networks: readonly Network[]): SignatureVerifier {
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
      const bytes = fromHex(signature)
      const v = bytes[64]
      if (v === 0 || v === 1)
        return refuse(
          `the signature ends with v = ${v}: the token takes 27 or 28, so add 27 to its last byte`,
        )
      const signer = crypto.recoverAddress(hasher.hashTransfer(authorization), bytes)
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
      // The only place that creates the branded type: the signature was recovered above.
      return { ok: true, value: value as ProvenPayment }
    },
  }
}

function refuse(reason: string): { readonly ok: false; readonly reason: string } {
  return { ok: false, reason }
}
