import type { LedgerPayment, PaymentRecord } from './payment-record.ts'

/** A charge that the chain has and the ledger does not. */
export interface ForgottenCharge {
  readonly payment: LedgerPayment
  readonly binding: string
  readonly owner: string
  readonly secretId: string
  /** The account that sent the transaction. */
  readonly relayer: string
  readonly transaction: string
  readonly blockNumber: bigint
}

/** The ledger as the reconciler uses it; every method may be repeated. */
export interface ReconciliationLedger {
  /** Moves holds that ran out before `nowSeconds` to `expired`; returns how many. */
  expireHolds(network: string, nowSeconds: number): Promise<number>
  /** Rows settled in this block or later that are not confirmed, at most `limit`, those of the newest blocks first. */
  settledSince(network: string, blockNumber: bigint, limit: number): Promise<readonly PaymentRecord[]>
  /**
   * Settled rows that are not confirmed, by how long they have been settled in the ledger's own time: less than so many
   * seconds, or at least so many. At most `limit`, those first that have been so for longest.
   */
  unconfirmed(
    network: string,
    age: { readonly belowSeconds: number } | { readonly fromSeconds: number },
    limit: number,
  ): Promise<readonly PaymentRecord[]>
  /**
   * Writes down, as settled, a charge that the ledger does not have, or has as not charged for the same purpose and owner.
   * True also where the row has this charge already. False where the row says otherwise, or the account is none that has ever sent for this ledger.
   */
  adopt(charge: ForgottenCharge): Promise<boolean>
  /** They were there at the last look: they are not looked at again. */
  confirm(keys: readonly string[]): Promise<void>
  /**
   * Rows that we say were not charged (failed, released, expired) although the chain may still say otherwise:
   * those not audited since `finalitySeconds` after their `validBefore`, and last audited before `auditedBefore`. Failed ones come first, because agents wait
   * for the last word on them; then those audited longest ago.
   */
  uncharged(
    network: string,
    finalitySeconds: number,
    page: { readonly auditedBefore: number; readonly limit: number },
  ): Promise<readonly PaymentRecord[]>
  /**
   * Notes that these rows agreed with the chain at this time of its head, in Unix seconds: for the last time where it
   * is past `finalitySeconds` after their `validBefore`.
   */
  markAudited(keys: readonly string[], headSeconds: number, finalitySeconds: number): Promise<void>
  /**
   * Deletes rows that were given back or ran out, and were looked at for the last time before this time of the chain:
   * nothing can use their authorizations any more. Some thousand at most; returns how many.
   */
  forgetUnused(network: string, finalitySeconds: number, auditedBefore: number): Promise<number>
}
