import type { Authorization } from '@farebox/payments/authorization/eip-3009'

/**
 * The state of a payment. `held → captured → submitted → settled | failed`, with the side exits `released`
 * (given back) and `expired` (hold ran out). The row is the money truth: what is not written here did not
 * happen.
 */
export type PaymentState = 'held' | 'captured' | 'submitted' | 'settled' | 'failed' | 'released' | 'expired'

/** The payment of a row: the part that never changes. */
export interface LedgerPayment {
  /** `paymentKey`: chain id, asset, from, nonce. The row's identity. */
  readonly key: string
  /** CAIP-2. */
  readonly network: string
  /** Lower-case token contract. */
  readonly asset: string
  readonly authorization: Authorization
  /** 65 bytes as lower-case hex, already proven to be the payer's. */
  readonly signature: string
}

/** Why a payment can never be settled by us. */
export interface PaymentFailure {
  /** An x402 error name. */
  readonly reason: string
  readonly message: string
}

/** One row of the ledger. */
export interface PaymentRecord extends LedgerPayment {
  /** The job that it pays for; the first is kept for ever (D10). */
  readonly binding: string
  /** Whose secret held it. */
  readonly owner: string
  readonly secretId: string
  readonly state: PaymentState
  readonly holdId: string
  /** Unix seconds. */
  readonly holdUntil: number
  /** The block at which the payer's balance was last seen to cover it. */
  readonly observedBlock: bigint
  /** How many transactions of ours carried it in vain. */
  readonly attempts: number
  /** How many of them did not pay it although nothing else made them fail. */
  readonly faults: number
  /** It goes in a transaction of its own, because its payer's account has code that nobody knows (D41). */
  readonly alone: boolean
  /** Hash of the transaction that carries it or carried it; empty where there was none. */
  readonly transaction: string
  /** The block that it was mined in; only of a settled row. */
  readonly blockNumber: bigint | undefined
  readonly failure: PaymentFailure | undefined
  /** It was proven once, and its agent told so, whatever has become of it since. */
  readonly wasSettled: boolean
  /** Unix seconds of the chain's head when the row, as not charged, last agreed with it; 0 where it never was compared. */
  readonly auditedAt: number
}
