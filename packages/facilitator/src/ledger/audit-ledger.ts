import type { PaymentRecord } from './payment-record.ts'

/** The ledger as the reconciler uses it; every method may be repeated. */
export interface AuditLedger {
  /** Moves holds that ran out before `nowSeconds` to `expired`; returns how many. */
  expireHolds(network: string, nowSeconds: number): Promise<number>
  /** Rows settled in this block or later. */
  settledSince(network: string, blockNumber: bigint): Promise<readonly PaymentRecord[]>
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
