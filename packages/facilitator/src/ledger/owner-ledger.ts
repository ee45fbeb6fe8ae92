import type { Sponsorship } from '@farebox/payments/x402/facilitator-api'
import type { Sponsoring } from '../secrets/secret-store.ts'

export type { Sponsoring, Sponsorship }

/** The limits of an owner, counted over all its secrets. */
export interface OwnerLimits {
  /** Settlements in a UTC day, current holds included; null: no limit. */
  readonly dailySettlements: { readonly [kind in Sponsorship]: number | null }
  /** The most settlements a day that a platform may grant to a listed owner; absent: no maximum. */
  readonly grantedAtMost?: number
  /** The most payments that may be held, captured or in a transaction at once. */
  readonly open: number
  /** The most of these whose payers' accounts have unknown code. */
  readonly openAlone: number
  /** Gas of reverted transactions in a UTC day; above it, payments from accounts with unknown code are refused. */
  readonly revertedGas: number
}

/** An owner's use of its limits in a UTC day. */
export interface OwnerUse {
  readonly sponsorship: Sponsorship
  /** Settlements a UTC day that a platform granted to this owner; undefined without a grant. */
  readonly granted: number | undefined
  /** Payments sent, repeats included. */
  readonly settlements: number
  /** Payments held or captured now, which will count when they are sent. */
  readonly unsent: number
  /** Gas of reverted transactions that carried its payments. */
  readonly revertedGas: number
}

/** The owners that have used four fifths of their limit of a UTC day, or all of it. */
export interface NearLimits {
  /** How many have used four fifths but not all of it. */
  readonly near: number
  /** How many have used all of it. */
  readonly at: number
  /** Both groups together, sorted by name: the first {@link NEAR_OWNERS_SHOWN}. */
  readonly owners: readonly { readonly owner: string; readonly used: number; readonly limit: number }[]
}

/** The part of a limit from which on its use is announced, so that the owner is warned before requests are refused. */
export const NEAR_LIMIT = 0.8
/** The most owners that are listed. */
export const NEAR_OWNERS_SHOWN = 1_000

/**
 * How many settlements an owner has in a UTC day; undefined: no limit. The function `daily_limit` of the migrations has the
 * same rule.
 */
export function dailyLimit(
  { dailySettlements, grantedAtMost }: OwnerLimits,
  { sponsorship, granted }: Pick<OwnerUse, 'sponsorship' | 'granted'>,
): number | undefined {
  if (sponsorship === 'listed' && granted !== undefined)
    return Math.min(granted, grantedAtMost ?? Number.POSITIVE_INFINITY)
  return dailySettlements[sponsorship] ?? undefined
}

/** The owners of secrets: why their gas is paid, and how much they used. Every method may be repeated. */
export interface OwnerLedger {
  /** An owner's use on the UTC day of this time, in Unix seconds. An unknown owner is a named one. */
  use(owner: string, nowSeconds: number): Promise<OwnerUse>
  /**
   * Records why the gas of an owner is paid, and how much is granted, in place of the earlier record. A named owner stays
   * unchanged.
   */
  sponsor(owner: string, sponsoring: Sponsoring): Promise<void>
  /** Removes the operator's naming: a named or unknown owner becomes unlisted. A listed owner stays listed. */
  unname(owner: string): Promise<void>
  /** The owners near their limits on the UTC day of this time, in Unix seconds. */
  nearLimits(limits: OwnerLimits, nowSeconds: number): Promise<NearLimits>
}
