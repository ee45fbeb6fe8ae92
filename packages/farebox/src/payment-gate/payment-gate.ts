import type { Hold } from '@farebox/payments/x402/facilitator-api'
import type { ProvenPayment } from '@farebox/payments/x402/verify-signature'
import type { SettleOutcome, VerifyOutcome } from '@farebox/payments/x402/facilitator-client'
import type { PaymentRequirement } from '@farebox/payments/x402/requirement'
import type { RecordedPayment } from '../jobs/job.ts'

/**
 * The agent's way to the facilitator that verifies and settles its payments. No method rejects: an answer that did not come is
 * an outcome, and every outcome is handled.
 */
export interface PaymentGate {
  /** Is this payment good, and reserved for this job until then? Nothing is charged. Safe to repeat. */
  verify(payment: ProvenPayment, terms: VerifyTerms): Promise<Verdict>
  /**
   * Was this payment charged before, and for what? For an agent that keeps nothing of the job any more (D40). Holds and
   * charges nothing. Safe to repeat.
   */
  findCharge(payment: ProvenPayment, terms: InquiryTerms): Promise<ChargeOutcome>
  /**
   * Charges, or finds out that it was charged. `settled` means proven in a block. Repeat with the identical
   * payment while it is `unknown`; `failed` is final: this payment can never be charged by us any more.
   */
  settle(payment: RecordedPayment): Promise<SettleOutcome>
  /** Gives a reservation back that was made for this binding; best effort, because it ends by itself. */
  release(hold: Hold, binding: string): Promise<void>
  /**
   * By how many seconds this agent's clock is ahead of the one payments are verified by, as far as is known without
   * asking; negative behind, 0 where they may agree.
   */
  clockAheadSeconds(): number
}

/** What a gate says of a payment; of one it refuses, whether it was charged before. */
export type Verdict =
  | Exclude<VerifyOutcome, { kind: 'invalid' }>
  | {
      readonly kind: 'invalid'
      readonly reason: string
      readonly message: string
      /** Absent: it was not. */
      readonly charge?: ChargeOutcome
    }

/** What is known of a payment that may have been charged before. */
export type ChargeOutcome =
  /** It was not charged to this agent's wallet, as far as anybody says who is believed. */
  | { readonly kind: 'none' }
  /** It is being charged, for this binding where one is given. */
  | { readonly kind: 'pending'; readonly binding: string }
  | {
      readonly kind: 'settled'
      readonly transaction: string
      /** What our facilitator charged it for; undefined where the chain alone tells of the charge. */
      readonly binding: string | undefined
      /** Seconds since the block that charged it, by the time of facilitator or chain: never by our own clock. */
      readonly ageSeconds: number
    }
  | { readonly kind: 'unknown'; readonly cause: string }

/** What a payment is asked about for. */
export interface InquiryTerms {
  readonly requirement: PaymentRequirement
  readonly binding: string
  readonly timeoutMs: number
}

/** What a payment is verified for. */
export interface VerifyTerms {
  readonly requirement: PaymentRequirement
  readonly binding: string
  /** Unix seconds: until when the amount should stay reserved. */
  readonly holdUntil: number
  readonly timeoutMs: number
}
