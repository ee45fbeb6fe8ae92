import type { CaptureOutcome, CaptureRequest } from './payment-ledger.ts'
import type { TracedPayment } from './payment-fields.ts'
import type { PaymentFailure, PaymentRecord, PaymentState } from './payment-record.ts'

/** The right to send from one relayer account, until another process takes it (see {@link SenderLeases}). */
export interface SenderLease {
  readonly network: string
  /** Lower-case address. */
  readonly relayer: string
  /** Grows with each holder: writes of an earlier holder are refused. */
  readonly fence: bigint
}

/** One sending process for each relayer account: two would use the same account nonces. */
export interface SenderLeases {
  /** Takes or renews the lease for `leaseMs`; undefined while another holder's lease has not run out. */
  acquire(
    account: { readonly network: string; readonly relayer: string },
    holder: string,
    leaseMs: number,
  ): Promise<SenderLease | undefined>
  /** Releases the lease so that another process can take it at once; has no effect when the lease is already lost. */
  giveUp(lease: SenderLease): Promise<void>
}

/** A signed transaction, as it is saved before it is sent. */
export interface SignedSettlement {
  readonly hash: string
  /** `0x` hex of the signed transaction. */
  readonly raw: string
  readonly maxFeePerGas: bigint
  readonly maxPriorityFeePerGas: bigint
}

/** A signed transaction and its account nonce. */
export interface NumberedSettlement extends SignedSettlement {
  readonly nonce: number
}

/** A signed transaction whose outcome is not known yet. */
export interface OpenTransaction extends NumberedSettlement {
  readonly id: string
  /** Lower-case address of the account that sends it. */
  readonly relayer: string
  /** Every hash it was signed under, newest last: any of them may be mined. */
  readonly hashes: readonly string[]
  readonly payments: readonly PaymentRecord[]
}

/** The decision about one payment, from the chain. */
export type Conclusion = {
  readonly key: string
  /** The state in which the decision was made; a row in another state is left unchanged. */
  readonly from: PaymentState
} & (
  | { readonly to: 'settled'; readonly transaction: string; readonly blockNumber: bigint }
  /** `blamed`: the failure counts against the payer, with this owner. */
  | {
      readonly to: 'failed'
      readonly failure: PaymentFailure
      readonly transaction: string
      readonly blamed: boolean
      /** Its value if it was proven and reported before: a loss. */
      readonly lostAtomic?: bigint
      /** Other held or captured payments of the payer that would be sent alone fail with it: its code has burned our gas. */
      readonly dropsPayer?: boolean
    }
  /**
   * Not paid by the transaction that carried it: it is checked again, in `observedBlock` or later. If the failure was not
   * its own, it is sent before all others next time.
   */
  | {
      readonly to: 'captured'
      readonly observedBlock: bigint
      /** The transaction would have paid it if its payer's account had not prevented it. */
      readonly isFault?: boolean
      /** From now on it is sent alone: its payer's account has unknown code. */
      readonly hasCode?: boolean
      /** Gas of the transaction that carried only this payment and was reverted; counts against owner and payer. */
      readonly revertedGas?: bigint
    }
)

/** Do other payments, which the conclusion does not name, fail with this one? */
export function dropsOthers(conclusion: Conclusion): boolean {
  return conclusion.to === 'failed' && conclusion.dropsPayer === true
}

/** A process that sends, and the relayer accounts whose leases it holds. */
export interface Sender {
  readonly network: string
  /** Lower-case addresses. */
  readonly relayers: readonly string[]
  /** Identifies the process among all that share the ledger. */
  readonly holder: string
}

/** The ledger as the sender uses it; every method is one atomic, durable step. */
export interface SettlementLedger {
  /**
   * The payments to send next, in order, at most as many as the limits say of those sent together and of those sent alone;
   * and the open transactions of these relayers, by relayer and nonce.
   *
   * Payments that were in a failed transaction through no fault of their own come first. Then owners take turns, regardless
   * of how many payments each has waiting; within an owner its payers take turns; within a payer the authorization that ends
   * first comes first, and payments with faults come last. If other processes share the ledger, each gets different payments
   * for a few seconds.
   */
  backlog(sender: Sender, limits: { readonly together: number; readonly alone: number }): Promise<Backlog>
  /**
   * The relayer accounts with open transactions whose lease no process holds now, with the number of these transactions: no
   * process follows them.
   */
  unattended(network: string): Promise<readonly UnattendedRelayer[]>
  /**
   * Saves a signed transaction, uses its nonce and moves its payments from captured to submitted, all or nothing. Undefined,
   * with nothing changed, when the lease is lost, a payment is no longer captured, or the nonce is used.
   */
  submit(
    lease: SenderLease,
    transaction: NumberedSettlement,
    keys: readonly string[],
  ): Promise<string | undefined>
  /**
   * Captures a payment and, if that succeeds and the payment is not sent alone for its code, saves the signed transaction
   * that carries only this payment, all in one step. The transaction is not saved, and `submitted` is absent, when the
   * payment was not captured now, when it is to be sent alone, when the lease is lost or when the nonce is used.
   */
  captureAndSubmit(
    lease: SenderLease,
    transaction: NumberedSettlement,
    request: CaptureRequest,
  ): Promise<{
    readonly capture: CaptureOutcome
    readonly submitted: { readonly id: string; readonly payment: PaymentRecord } | undefined
  }>
  /**
   * Saves another signature of an open transaction, with higher fees. False when the lease is lost or the transaction is not
   * open.
   */
  replace(lease: SenderLease, transactionId: string, signed: SignedSettlement): Promise<boolean>
  /**
   * Records what the chain decided, and closes the transaction that was open for it. Each conclusion counts only if the row
   * is still in its `from` state. Returns the payments that changed; if other processes share the ledger, they are sent a
   * `concluded` signal (see `Signals`).
   */
  conclude(conclusions: readonly Conclusion[], closes?: ClosedTransaction): Promise<readonly TracedPayment[]>
}

/** The payments to be sent, and the open transactions. */
export interface Backlog {
  readonly together: readonly PaymentRecord[]
  readonly alone: readonly PaymentRecord[]
  readonly open: readonly OpenTransaction[]
}

/** A relayer account with open transactions that no process sends from. */
export interface UnattendedRelayer {
  /** Lower-case address. */
  readonly relayer: string
  /** The number of its open transactions. */
  readonly transactions: number
}

/** How an open transaction ended. */
export interface ClosedTransaction {
  readonly transactionId: string
  readonly as: 'mined' | 'dropped'
}
