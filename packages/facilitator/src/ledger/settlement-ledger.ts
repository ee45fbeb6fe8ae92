import type { CaptureOutcome, CaptureRequest } from './payment-ledger.ts'
import type { PaymentFailure, PaymentRecord, PaymentState } from './payment-record.ts'

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

/** A signed transaction and the account nonce that it takes. */
export interface NumberedSettlement extends SignedSettlement {
  readonly nonce: number
}

/** A transaction that has been signed and whose end is not yet known. */
export interface OpenTransaction extends NumberedSettlement {
  readonly id: string
  /** Lower-case address of the account that sends it. */
  readonly relayer: string
  /** Every hash it was ever signed under, newest last: any of them may be mined. */
  readonly hashes: readonly string[]
  readonly payments: readonly PaymentRecord[]
}

/** The chain's decision on one payment. */
export type Conclusion = {
  readonly key: string
  /** The state the decision was made in; a row in another one by now stays as it is. */
  readonly from: PaymentState
} & (
  | { readonly to: 'settled'; readonly transaction: string; readonly blockNumber: bigint }
  /** `blamed` counts against the payer, with this owner. */
  | {
      readonly to: 'failed'
      readonly failure: PaymentFailure
      readonly transaction: string
      readonly blamed: boolean
      /** Its value, where it was proven before and told so: a loss. */
      readonly lostAtomic?: bigint
      /** Whatever of the payer is held or captured and would go alone fails with it: its code has burned our gas. */
      readonly dropsPayer?: boolean
    }
  /**
   * Not paid by the transaction that carried it: to be looked at again, in `observedBlock` or later. Where it was no
   * fault of its own, it goes before everything else the next time.
   */
  | {
      readonly to: 'captured'
      readonly observedBlock: bigint
      /** The transaction would have paid it, had its payer's account not been in the way. */
      readonly isFault?: boolean
      /** From now on it goes alone: its payer's account has code that nobody knows. */
      readonly hasCode?: boolean
      /** Of the transaction that was reverted under it alone: counts against owner and payer. */
      readonly revertedGas?: bigint
    }
)

/** Do payments fail with this one that it does not name? */
export function dropsOthers(conclusion: Conclusion): boolean {
  return conclusion.to === 'failed' && conclusion.dropsPayer === true
}

/** A process that sends, and the relayer accounts that it holds the leases of. */
export interface Sender {
  readonly network: string
  /** Lower-case addresses. */
  readonly relayers: readonly string[]
  /** Names the process among those that share the ledger. */
  readonly holder: string
}

/** The ledger as the sender uses it; every method is one atomic, durable step. */
export interface SettlementLedger {
  /**
   * Whose turn it is: of the payments that go together and of those that go alone, at most so many each, in order; and
   * the open transactions of these relayers, by relayer and nonce.
   *
   * First those that a transaction failed under through no fault of their own. Then owners take turns, whatever they
   * have waiting; within an owner its payers do; within a payer the authorization that ends first goes first, those
   * with faults last. Where other processes of the ledger are at work, each is given others for a few seconds.
   */
  backlog(sender: Sender, limits: { readonly together: number; readonly alone: number }): Promise<Backlog>
  /**
   * Relayer accounts with open transactions of which no process holds the lease now, and how many those are: nobody follows
   * them.
   */
  unattended(network: string): Promise<readonly UnattendedRelayer[]>
  /**
   * Saves a signed transaction, takes its nonce and moves its payments from captured to submitted, all or
   * nothing. Undefined, with nothing changed, when the lease is lost, a payment is not captured any more, or the
   * nonce is taken.
   */
  submit(
    lease: SenderLease,
    transaction: NumberedSettlement,
    keys: readonly string[],
  ): Promise<string | undefined>
  /**
   * Captures a payment and, where that makes it captured and it does not go alone, saves the signed transaction that
   * carries it and nothing else, all in one step. Without `submitted` the transaction is not saved: because the payment
   * was not captured now, or goes alone, or because the lease is lost or the nonce taken.
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

/** The payments to be sent, and the transactions that were. */
export interface Backlog {
  readonly together: readonly PaymentRecord[]
  readonly alone: readonly PaymentRecord[]
  readonly open: readonly OpenTransaction[]
}

/** Of an account that no process sends from. */
export interface UnattendedRelayer {
  /** Lower-case address. */
  readonly relayer: string
  /** Open ones. */
  readonly transactions: number
}

/** How an open transaction ended. */
export interface ClosedTransaction {
  readonly transactionId: string
  readonly as: 'mined' | 'dropped'
}
