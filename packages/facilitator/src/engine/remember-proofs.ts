import type { SignatureVerifier, ProvenPayment } from '@farebox/payments/x402/verify-signature'
import type { DecodedPayment } from '@farebox/payments/x402/payment-header'

/** A payment is asked about twice, to verify and to settle, seconds apart; each takes about 1 KB. */
const MAX_REMEMBERED = 4_096

/**
 * A verifier that proves the same signature over the same words once: recovering a signer is the dearest thing done for
 * a request, and always comes to the same. Only what was proven is remembered, under every word that was proven.
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

/** All that decides whether a signature is good; none of these holds a space. */
function wordsOf({ network, asset, authorization, signature }: DecodedPayment): string {
  const { from, to, value, validAfter, validBefore, nonce } = authorization
  return `${network} ${asset} ${from} ${to} ${value} ${validAfter} ${validBefore} ${nonce} ${signature}`
}
