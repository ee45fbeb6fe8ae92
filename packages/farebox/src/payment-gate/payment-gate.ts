import type { Hold } from '@farebox/payments/x402/facilitator-api'
import type { ProvenPayment } from '@farebox/payments/x402/verify-signature'
import type { SettleOutcome, VerifyOutcome } from '@farebox/payments/x402/facilitator-client'
import type { PaymentRequirement } from '@farebox/payments/x402/requirement'
import type { Trace } from '@farebox/protocol/internal/trace/traceparent'
import type { RecordedPayment } from '../jobs/job.ts'

/**
 * Access to the facilitator that verifies and settles the agent's payments. No method rejects: a missing answer is an
 * outcome, and every outcome must be handled.
 */
export interface PaymentGate {
  /** Verifies the payment and reserves it for this job until then. Charges nothing. Safe to repeat. */
  verify(payment: ProvenPayment, terms: VerifyTerms): Promise<Verdict>
  /**
   * Whether this payment was charged before, and for which job, for an agent without a record of the job (D40). Holds
   * and charges nothing. Safe to repeat.
   */
  findCharge(payment: ProvenPayment, terms: InquiryTerms): Promise<ChargeOutcome>
  /**
   * Charges the payment, or finds that it was charged. `settled` means proven in a block. Repeat with the identical
   * payment while the outcome is `unknown`; `failed` is final: this agent can never charge the payment.
   */
  settle(payment: RecordedPayment): Promise<SettleOutcome>
  /** Releases a reservation that was made for a job. Best effort, because a reservation expires. */
  release(hold: Hold, terms: ReleaseTerms): Promise<void>
  /**
   * The seconds by which this agent's clock is ahead of the clock that payments are verified by, as far as is known
   * without a request; negative when it is behind, 0 when they may agree.
   */
  clockAheadSeconds(): number
}

/** The result of a verification; for a refused payment with its earlier charge. */
export type Verdict =
  | Exclude<VerifyOutcome, { kind: 'invalid' }>
  | {
      readonly kind: 'invalid'
      readonly reason: string
      readonly message: string
      /** Absent: it was not charged before. */
      readonly charge?: ChargeOutcome
    }

/** The known facts about a payment that may have been charged before. */
export type ChargeOutcome =
  /** According to the trusted sources, it was not charged to this agent's wallet. */
  | { readonly kind: 'none' }
  /** It is being charged, for this binding. */
  | { readonly kind: 'pending'; readonly binding: string }
  | {
      readonly kind: 'settled'
      readonly transaction: string
      /** The binding that Farebox's facilitator charged it for; undefined when only the chain shows the charge. */
      readonly binding: string | undefined
      /**
       * Seconds since the block of the charge, by the facilitator's or the chain's time, never by the agent's clock.
       */
      readonly ageSeconds: number
    }
  | { readonly kind: 'unknown'; readonly cause: string }

/** The terms of an inquiry about a payment. */
export interface InquiryTerms {
  readonly requirement: PaymentRequirement
  readonly binding: string
  readonly timeoutMs: number
  readonly trace: Trace
}

/** The terms of a verification. */
export interface VerifyTerms {
  readonly requirement: PaymentRequirement
  readonly binding: string
  /** Unix seconds until which the amount should stay reserved. */
  readonly holdUntil: number
  readonly timeoutMs: number
  readonly trace: Trace
}

/** The job whose reservation is released. */
export interface ReleaseTerms {
  readonly binding: string
  readonly jobId: string
  readonly paymentKey: string
  readonly trace: Trace
}
