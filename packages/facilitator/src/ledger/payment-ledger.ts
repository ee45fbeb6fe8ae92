import type { OwnerLimits } from './owner-ledger.ts'
import type { LedgerPayment, PaymentRecord } from './payment-record.ts'

/** A request to reserve a payment for one purpose. */
export interface PaymentToHold {
  readonly payment: LedgerPayment
  readonly binding: string
  readonly owner: string
  readonly secretId: string
  /** Fresh and unguessable; replaces the hold's earlier id. */
  readonly holdId: string
  /** Unix seconds. */
  readonly holdUntil: number
  readonly nowSeconds: number
  /** The payer's balance as one block shows it. */
  readonly observed: { readonly balanceAtomic: bigint; readonly blockNumber: bigint }
  /** The payer's account has code that nobody knows: it would go in a transaction of its own. */
  readonly alone: boolean
  readonly limits: OwnerLimits
}

/** How many payments of one payer may be open; also in the function `hold` of the migrations. Each costs a look at every other. */
export const MOST_OPEN_PAYMENTS = 1_000

/** How much of a limit is used. */
export interface Budget {
  readonly used: number
  /** Undefined: there is none. */
  readonly limit: number | undefined
}

/** The outcome of a hold. */
export type HoldOutcome =
  | {
      readonly kind: 'held'
      readonly holdId: string
      readonly holdUntil: number
      /** Of the owner's settlements today, this one included. */
      readonly budget: Budget
    }
  /** The key is kept for another purpose, or was signed twice with different terms. */
  | { readonly kind: 'bound-otherwise' }
  /** Captured already: ask to settle, not to hold. */
  | { readonly kind: 'in-settlement'; readonly transaction: string }
  | { readonly kind: 'failed'; readonly reason: string; readonly message: string }
  /**
   * `settlingAtomic` of what is open is already in a transaction, and may be missing from the balance as
   * well.
   */
  | { readonly kind: 'insufficient'; readonly openAtomic: bigint; readonly settlingAtomic: bigint }
  /** The owner's settlements of today are used up. */
  | { readonly kind: 'over-budget'; readonly budget: Budget }
  /** The owner has as many payments open as it may, or as many of accounts with code. */
  | { readonly kind: 'owner-too-many-open' }
  /** The payer's account has code that nobody knows, and the owner is not listed. */
  | { readonly kind: 'code-not-sponsored' }
  /** Such accounts have burned as much of the operator's gas today as this owner or this payer may. */
  | { readonly kind: 'gas-used-up' }
  /** The payer has {@link MOST_OPEN_PAYMENTS} open. */
  | { readonly kind: 'too-many-open' }
  | { readonly kind: 'payer-barred'; readonly untilSeconds: number }

/** A request to charge a payment: the same terms and purpose that were held. */
export interface CaptureRequest {
  readonly payment: LedgerPayment
  readonly binding: string
  readonly owner: string
  /** The bounds on charging a hold that ran out; absent: none. */
  readonly bounds?: { readonly limits: OwnerLimits; readonly nowSeconds: number }
}

/** The outcome of a capture. */
export type CaptureOutcome =
  /** Captured now or before; its settlement is under way. */
  | { readonly kind: 'captured'; readonly first: boolean; readonly transaction: string }
  | { readonly kind: 'settled'; readonly transaction: string }
  | {
      readonly kind: 'failed'
      readonly reason: string
      readonly message: string
      readonly transaction: string
    }
  /** Given back before: it will never be charged, unless it is held again first. */
  | { readonly kind: 'released' }
  /** Kept for another purpose, by another owner, or signed twice with different terms. */
  | { readonly kind: 'bound-otherwise' }
  /** Never held. */
  | { readonly kind: 'absent' }
  /** The hold ran out, and the owner has settled twice as much as it may today: nothing has happened. */
  | { readonly kind: 'over-budget'; readonly budget: Budget }

/** A hold that is given back. */
export interface HoldToRelease {
  readonly holdId: string
  /** The job that it was made for. */
  readonly binding: string
  /** Who asks. */
  readonly owner: string
}

/**
 * The ledger as agents use it. Every method is one atomic step, durable when it resolves, and safe to repeat;
 * each rejects when the store cannot be reached, and then nothing is known.
 */
export interface PaymentLedger {
  /**
   * Reserves a payment, under a lock on its payer: the observed balance must cover it beside everything of
   * the payer that is open: held in time, captured, submitted, or settled in a block later than the observed
   * one. A repeat for the same purpose gets a fresh hold id and the later end; released and expired rows may
   * be held again for the purpose they had. Failed rows are final.
   */
  hold(request: PaymentToHold): Promise<HoldOutcome>
  /**
   * Turns a hold, also one that ran out, into a charge: of those that ran out, which count for nobody's limit any more,
   * until an owner has twice its limit of a day. Never a released one, never for another purpose.
   */
  capture(request: CaptureRequest): Promise<CaptureOutcome>
  /**
   * Gives a hold back, also one that ran out, which could still be charged. False where the id is not the current one of a
   * hold of this owner for this purpose.
   */
  release(hold: HoldToRelease): Promise<boolean>
  /** The rows of these keys, those that exist, in no order. */
  find(keys: readonly string[]): Promise<readonly PaymentRecord[]>
}
