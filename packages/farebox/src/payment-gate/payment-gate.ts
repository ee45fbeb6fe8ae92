import type { Hold } from '@farebox/payments/facilitator-api'
import type { ProvenPayment } from '@farebox/payments/check-payment'
import type { SettleOutcome, VerifyOutcome } from '@farebox/payments/facilitator-client'
import type { PaymentRequirement } from '@farebox/payments/requirement'
import type { RecordedPayment } from '../jobs/job.ts'

/**
 * The agent's way to whoever verifies and settles its payments. No method rejects: an answer that did not come is
 * an outcome, and every outcome is handled.
 */
export interface PaymentGate {
  /** Is this payment good, and reserved for this job until then? Nothing is charged. Safe to repeat. */
  verify(payment: ProvenPayment, terms: VerifyTerms): Promise<VerifyOutcome>
  /**
   * Charges, or finds out that it was charged. `settled` means proven in a block. Repeat with the identical
   * payment while it is `unknown`; `failed` is final: this payment can never be charged by us any more.
   */
  settle(payment: RecordedPayment): Promise<SettleOutcome>
  /** Gives a reservation back; best effort, because it ends by itself. */
  release(hold: Hold): Promise<void>
}

/** What a payment is verified for. */
export interface VerifyTerms {
  readonly requirement: PaymentRequirement
  readonly binding: string
  /** Unix seconds: until when the amount should stay reserved. */
  readonly holdUntil: number
  readonly timeoutMs: number
}
