import type { LedgerPayment, PaymentRecord } from './payment-record.ts'

/** A charge that is on the chain but not in the ledger. */
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
  /** Moves holds that ended before `nowSeconds` to `expired`; returns how many. */
  expireHolds(network: string, nowSeconds: number): Promise<number>
  /** Rows settled in this block or later and not confirmed, at most `limit`, newest blocks first. */
  settledSince(network: string, blockNumber: bigint, limit: number): Promise<readonly PaymentRecord[]>
  /**
   * Settled rows that are not confirmed, by the time since their settlement in the ledger's own time: less than this many
   * seconds, or at least this many. At most `limit`, oldest settlements first.
   */
  unconfirmed(
    network: string,
    age: { readonly belowSeconds: number } | { readonly fromSeconds: number },
    limit: number,
  ): Promise<readonly PaymentRecord[]>
  /**
   * Records as settled a charge that the ledger does not have, or has as uncharged for the same purpose and owner. True also
   * when the row has this charge already. False when the row contradicts it, or when the account never sent a transaction
   * for this ledger.
   */
  adopt(charge: ForgottenCharge): Promise<boolean>
  /** Marks rows as confirmed at the last check: they are not checked again. */
  confirm(keys: readonly string[]): Promise<void>
  /**
   * Rows recorded as uncharged (failed, released, expired) that the chain may still contradict: rows without an audit later
   * than `finalitySeconds` after their `validBefore`, and last audited before `auditedBefore`. Failed rows come first,
   * because agents wait for their final outcome; then rows audited longest ago.
   */
  uncharged(
    network: string,
    finalitySeconds: number,
    page: { readonly auditedBefore: number; readonly limit: number },
  ): Promise<readonly PaymentRecord[]>
  /**
   * Records that these rows agreed with the chain when its head had this time, in Unix seconds. The audit is the last one if
   * that time is past `finalitySeconds` after their `validBefore`.
   */
  markAudited(keys: readonly string[], headSeconds: number, finalitySeconds: number): Promise<void>
  /**
   * Deletes released and expired rows whose last audit was before this time of the chain: their authorizations can never be
   * used. Deletes a few thousand at most; returns how many.
   */
  forgetUnused(network: string, finalitySeconds: number, auditedBefore: number): Promise<number>
}
