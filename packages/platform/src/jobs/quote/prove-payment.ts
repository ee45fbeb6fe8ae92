import { refuseTerms } from '@farebox/payments/x402/check-terms'
import { createSignatureVerifier, type ProvenPayment } from '@farebox/payments/x402/verify-signature'
import { refuseNonce } from '@farebox/payments/authorization/nonce-binding'
import { decodePaymentHeader } from '@farebox/payments/x402/payment-header'
import { Refusal } from '../../http/refusal.ts'
import type { PlatformParts } from '../../platform-parts.ts'
import type { PayableCapability } from './payable-agent.ts'

/**
 * Identifies the payer of a payment header, which must be signed by the named payer for our network and asset (D5, first
 * half).
 */
export type ProvePayment = (header: string) => ProvenPayment

/** Creates the check. It throws a {@link Refusal} `payment` that names the problem with the header. */
export function createProvePayment({
  crypto,
  network,
}: Pick<PlatformParts, 'crypto' | 'network'>): ProvePayment {
  const verifier = createSignatureVerifier(crypto, [network])
  return header => {
    const decoded = decodePaymentHeader(header)
    if (!decoded.ok) throw refused(decoded.reason)
    const proven = verifier.provePayer(decoded.payment)
    if (!proven.ok) throw refused(proven.reason)
    return proven.value
  }
}

/**
 * Checks that a payment is valid for this job now (D5, second half, D13): for the registered and proven wallet, exactly the
 * stored price, and in time.
 *
 * @throws {Refusal} `payment`
 */
export function agreeOnPayment(
  { crypto, clock }: Pick<PlatformParts, 'crypto' | 'clock'>,
  payment: ProvenPayment,
  payable: PayableCapability,
  jobId: string,
): void {
  const terms = { payTo: payable.wallet, amount: payable.priceAtomic.toString() }
  const binding = { endpoint: `${payable.endpoint}/execute`, capability: payable.name, jobId }
  const reason =
    refuseTerms(payment, terms, clock.nowMs() / 1_000) ??
    refuseNonce(crypto, payment.authorization.nonce, payment.salt, binding)
  if (reason !== undefined) throw refused(reason)
}

function refused(reason: string): Refusal {
  return new Refusal('payment', `payment: ${reason}`)
}
