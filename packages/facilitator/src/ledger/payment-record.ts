import type { Authorization } from '@farebox/payments/authorization/eip-3009'

/**
 * The state of a payment: `held → captured → submitted → settled
 *
 * failed`, or `released` (given back by the caller) or `expired` (hold ran out). The ledger decides about money: a charge
 * that is not recorded here did not happen.
 */
export type PaymentState = 'held' | 'captured' | 'submitted' | 'settled' | 'failed' | 'released' | 'expired'

/** The immutable part of a row: the payment. */
export interface LedgerPayment {
  /** `paymentKey`: chain id, asset, from, nonce. Identifies the row. */
  readonly key: string
  /** CAIP-2. */
  readonly network: string
  /** Lower-case address of the token contract. */
  readonly asset: string
  readonly authorization: Authorization
  /** 65 bytes as lower-case hex, already verified to be the payer's. */
  readonly signature: string
}

/** Why this facilitator can never settle a payment. */
export interface PaymentFailure {
  /** An x402 error name. */
  readonly reason: string
  readonly message: string
}

/** One row of the ledger. */
export interface PaymentRecord extends LedgerPayment {
  /** The job that it pays for; never changes after the first hold (D10). */
  readonly binding: string
  /** The trace of the request that held it, 32 hex digits; undefined if it was held before traces were kept. */
  readonly trace: string | undefined
  /** The owner of the secret that held it. */
  readonly owner: string
  readonly secretId: string
  readonly state: PaymentState
  readonly holdId: string
  /** Unix seconds. */
  readonly holdUntil: number
  /** The block in which the payer's balance was last seen to cover the payment. */
  readonly observedBlock: bigint
  /** How many of our transactions carried it without paying it. */
  readonly attempts: number
  /** How many of these failed to pay it for no other reason than the payment itself. */
  readonly faults: number
  /** It is sent in a transaction of its own, because its payer's account has unknown code (D41). */
  readonly alone: boolean
  /** Hash of the latest transaction that carried it; empty if there was none. */
  readonly transaction: string
  /** The block that it was mined in; only for a settled row. */
  readonly blockNumber: bigint | undefined
  readonly failure: PaymentFailure | undefined
  /** It was proven once and reported as settled to its agent, whatever its state is now. */
  readonly wasSettled: boolean
  /** Unix seconds of the chain's head when the row, as uncharged, last agreed with the chain; 0 if it was never compared. */
  readonly auditedAt: number
}
