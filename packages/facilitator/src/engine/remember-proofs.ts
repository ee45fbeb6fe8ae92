import type { SignatureVerifier, ProvenPayment } from '@farebox/payments/x402/verify-signature'
import type { DecodedPayment } from '@farebox/payments/x402/payment-header'

/** Each payment is verified twice, for `/verify` and for `/settle`, seconds apart; an entry takes about 1 KB. */
const MAX_REMEMBERED = 4_096

/**
 * A verifier that checks each signature once: recovering the signer is the most expensive step of a request, and its result
 * never changes. Only proven signatures are remembered, together with everything they prove.
 */
export function rememberProofs(verifier: SignatureVerifier, atMost = MAX_REMEMBERED): SignatureVerifier {
  const proofs = new Map<string, ProvenPayment>()
  return {
    provePayer(payment) {
      const words = wordsOf(payment)
      const known = proofs.get(words)
      if (known !== undefined)
        return { ok: true, value: { ...known, salt: payment.salt, accepted: payment.accepted } }
      const proven = verifier.provePayer(payment)
      if (proven.ok) {
        proofs.set(words, proven.value)
        const [oldest] = proofs.keys()
        if (proofs.size > atMost && oldest !== undefined) proofs.delete(oldest)
      }
      return proven
    },
  }
}

/** Everything that determines whether a signature is valid; none of these values contains a space. */
function wordsOf({ network, asset, authorization, signature }: DecodedPayment): string {
  const { from, to, value, validAfter, validBefore, nonce } = authorization
  return `${network} ${asset} ${from} ${to} ${value} ${validAfter} ${validBefore} ${nonce} ${signature}`
}
