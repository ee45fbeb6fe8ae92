import type { Failure, PaymentRecord, PaymentState } from './payment-record.ts'

/**
 * The right to send from one relayer account, until it is lost to somebody else (see {@link SenderLeases}).
 */
export interface SenderLease {
  readonly network: string
  /** Lower-case address. */
  readonly relayer: string
  /** Grows with each holder: what an older holder writes is refused. */
  readonly fence: bigint
}

/** One sender a relayer account, over all processes: two would take the same account nonces. */
export interface SenderLeases {
  /** Takes or renews the lease for `leaseMs`; undefined while another holder's has not run out. */
  acquire(
    account: { readonly network: string; readonly relayer: string },
    holder: string,
    leaseMs: number,
  ): Promise<SenderLease | undefined>
  /** Lets the next one in at once; nothing happens when the lease is already lost. */
  giveUp(lease: SenderLease): Promise<void>
}

/** A signed transaction as it is saved, before anybody else sees it. */
export interface SignedSettlement {
  readonly hash: string
  /** `0x` hex of the signed transaction. */
  readonly raw: string
  readonly maxFeePerGas: bigint
  readonly maxPriorityFeePerGas: bigint
}

/** A transaction that has been signed and whose end is not yet known. */
export interface OpenTransaction extends SignedSettlement {
  readonly id: string
  readonly nonce: number
  /** Every hash it was ever signed under, newest last: any of them may be mined. */
  readonly hashes: readonly string[]
  readonly payments: readonly PaymentRecord[]
}

/** What the chain has decided of one payment. */
export type Conclusion = {
  readonly key: string
  /** The state the decision was made in; a row in another one by now stays as it is. */
  readonly from: PaymentState
} & (
  | { readonly to: 'settled'; readonly transaction: string; readonly blockNumber: bigint }
  /** `blamed` counts against the payer. */
  | {
      readonly to: 'failed'
      readonly failure: Failure
      readonly transaction: string
      readonly blamed: boolean
    }
  /** Not paid by the transaction that carried it: to be looked at again, in `observedBlock` or later. */
  | { readonly to: 'captured'; readonly observedBlock: bigint }
)

/** The ledger as the sender uses it; every method is one atomic, durable step. */
export interface SettlementLedger {
  /**
   * What waits for a transaction, at most `limit`: those no transaction has carried yet before the others,
   * oldest first; and this relayer's open transactions by nonce.
   */
  backlog(
    account: { readonly network: string; readonly relayer: string },
    limit: number,
  ): Promise<{ readonly captured: readonly PaymentRecord[]; readonly open: readonly OpenTransaction[] }>
  /**
   * Saves a signed transaction, takes its nonce and moves its payments from captured to submitted, all or
   * nothing. Undefined, with nothing changed, when the lease is lost, a payment is not captured any more, or the
   * nonce is taken.
   */
  submit(
    lease: SenderLease,
    transaction: SignedSettlement & { readonly nonce: number },
    keys: readonly string[],
  ): Promise<string | undefined>
  /**
   * Saves another signature of an open transaction, with higher fees. False when the lease is lost or it is
   * not open.
   */
  replace(lease: SenderLease, transactionId: string, signed: SignedSettlement): Promise<boolean>
  /**
   * Writes down what the chain decided, and closes the transaction that was open for it. Each conclusion
   * counts only if the row is still in its `from` state. Returns the keys that changed; where others share the
   * ledger it rings `concluded` for them (see `Signals`).
   */
  conclude(conclusions: readonly Conclusion[], closes?: ClosedTransaction): Promise<readonly string[]>
}

/** How an open transaction ended. */
export interface ClosedTransaction {
  readonly transactionId: string
  readonly as: 'mined' | 'dropped'
}
