import type { OwnerLimits } from './owner-ledger.ts'
import type { LedgerPayment, PaymentRecord } from './payment-record.ts'

/** A request to reserve a payment for one purpose. */
export interface PaymentToHold {
  readonly payment: LedgerPayment
  readonly binding: string
  readonly owner: string
  readonly secretId: string
  /** New and unguessable; replaces an earlier id of the hold. */
  readonly holdId: string
  /** Unix seconds. */
  readonly holdUntil: number
  readonly nowSeconds: number
  /** The payer's balance in one block. */
  readonly observed: { readonly balanceAtomic: bigint; readonly blockNumber: bigint }
  /** The payer's account has unknown code: the payment would be sent in a transaction of its own. */
  readonly alone: boolean
  /** The trace of the request, 32 hex digits. */
  readonly trace: string
  readonly limits: OwnerLimits
}

/**
 * The most open payments of one payer; the function `hold` of the migrations has the same value. Each hold reads all others
 * of its payer.
 */
export const MOST_OPEN_PAYMENTS = 1_000

/** The used part of a limit. */
export interface Budget {
  readonly used: number
  /** Undefined: no limit. */
  readonly limit: number | undefined
}

/** The outcome of a hold. */
export type HoldOutcome =
  | {
      readonly kind: 'held'
      readonly holdId: string
      readonly holdUntil: number
      /** The owner's settlements today, this one included. */
      readonly budget: Budget
    }
  /** The key is held for another purpose, or was signed twice with different terms. */
  | { readonly kind: 'bound-otherwise' }
  /** Captured already: the caller should settle instead. */
  | { readonly kind: 'in-settlement'; readonly transaction: string }
  | { readonly kind: 'failed'; readonly reason: string; readonly message: string }
  /**
   * `settlingAtomic` is the part of the open payments that is already in a transaction, so it may be missing from the
   * balance as well.
   */
  | { readonly kind: 'insufficient'; readonly openAtomic: bigint; readonly settlingAtomic: bigint }
  /** The owner's settlements of today are used up. */
  | { readonly kind: 'over-budget'; readonly budget: Budget }
  /** The owner has as many open payments as it may, or as many from accounts with unknown code. */
  | { readonly kind: 'owner-too-many-open' }
  /** The payer's account has unknown code, and the owner is not listed. */
  | { readonly kind: 'code-not-sponsored' }
  /**
   * Payments from accounts with unknown code have burned as much of the operator's gas today as this owner or this payer
   * may.
   */
  | { readonly kind: 'gas-used-up' }
  /** The payer has {@link MOST_OPEN_PAYMENTS} open. */
  | { readonly kind: 'too-many-open' }
  | { readonly kind: 'payer-barred'; readonly untilSeconds: number }

/** A request to charge a payment, with the same terms and purpose as its hold. */
export interface CaptureRequest {
  readonly payment: LedgerPayment
  readonly binding: string
  readonly owner: string
  /** The limits for charging a hold that ran out; absent: no limits. */
  readonly bounds?: { readonly limits: OwnerLimits; readonly nowSeconds: number }
}

/** The outcome of a capture. */
export type CaptureOutcome =
  /** Captured now or earlier; its settlement is in progress. */
  | { readonly kind: 'captured'; readonly first: boolean; readonly transaction: string }
  | { readonly kind: 'settled'; readonly transaction: string }
  | {
      readonly kind: 'failed'
      readonly reason: string
      readonly message: string
      readonly transaction: string
    }
  /** Released before: it will never be charged unless it is held again. */
  | { readonly kind: 'released' }
  /** Held for another purpose, by another owner, or signed twice with different terms. */
  | { readonly kind: 'bound-otherwise' }
  /** Never held. */
  | { readonly kind: 'absent' }
  /** The hold ran out, and the owner has settled twice as much as it may today: nothing was changed. */
  | { readonly kind: 'over-budget'; readonly budget: Budget }

/** A hold to be released. */
export interface HoldToRelease {
  readonly holdId: string
  /** The job that the hold was made for. */
  readonly binding: string
  /** The owner of the secret that asks. */
  readonly owner: string
}

/**
 * The ledger as the routes for agents use it. Every method is one atomic step, durable when it resolves, and safe to repeat;
 * each rejects when the store cannot be reached, and the outcome is then unknown.
 */
export interface PaymentLedger {
  /**
   * Reserves a payment, under a lock on its payer: the observed balance must cover it in addition to every open payment of
   * the payer: held and not run out, captured, submitted, or settled in a later block than the observed one. A repeat for
   * the same purpose gets a new hold id and the later end; released and expired rows may be held again for the same purpose.
   * Failed rows are final.
   */
  hold(request: PaymentToHold): Promise<HoldOutcome>
  /**
   * Turns a hold, also one that ran out, into a charge. Holds that ran out count toward no limit any more; they are charged
   * until the owner has used twice its limit of the day. Never charges a released hold, or one for another purpose.
   */
  capture(request: CaptureRequest): Promise<CaptureOutcome>
  /**
   * Releases a hold, also one that ran out, which could still be charged. Returns the key of its payment; undefined when the
   * id is not the current one of a hold of this owner for this purpose.
   */
  release(hold: HoldToRelease): Promise<string | undefined>
  /** The existing rows of these keys, in no particular order. */
  find(keys: readonly string[]): Promise<readonly PaymentRecord[]>
}
