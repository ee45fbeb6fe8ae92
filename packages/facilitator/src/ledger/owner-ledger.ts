import type { Sponsorship } from '@farebox/payments/x402/facilitator-api'
import type { Sponsoring } from '../secrets/secret-store.ts'

export type { Sponsoring, Sponsorship }

/** The limits of an owner, counted over all its secrets. */
export interface OwnerLimits {
  /** Settlements in a UTC day, held ones included; null: no limit. */
  readonly dailySettlements: { readonly [kind in Sponsorship]: number | null }
  /** The most of these that a platform may grant a listed owner; absent: as much as it says. */
  readonly grantedAtMost?: number
  /** Payments held, captured or in a transaction at once. */
  readonly open: number
  /** Of these, payments of accounts with code that nobody knows. */
  readonly openAlone: number
  /** Gas of reverted transactions in a UTC day: beyond it no payment of such an account is taken. */
  readonly revertedGas: number
}

/** The part of its limits that an owner has used in a UTC day. */
export interface OwnerUse {
  readonly sponsorship: Sponsorship
  /** Settlements a UTC day that a platform granted it; undefined where none did. */
  readonly granted: number | undefined
  /** Sent, and sent again. */
  readonly settlements: number
  /** Held or captured now: they are about to count. */
  readonly unsent: number
  /** Gas of reverted transactions under its payments. */
  readonly revertedGas: number
}

/** Owners that have used four fifths of their limit of a UTC day, or all of it. */
export interface NearLimits {
  /** How many have used four fifths and not all of it. */
  readonly near: number
  /** How many have used all of it. */
  readonly at: number
  /** Of both together, the first {@link NEAR_OWNERS_SHOWN} by their names. */
  readonly owners: readonly { readonly owner: string; readonly used: number; readonly limit: number }[]
}

/** From this part of a limit on it is announced, so that it does not bite unannounced. */
export const NEAR_LIMIT = 0.8
/** As many are named. */
export const NEAR_OWNERS_SHOWN = 1_000

/**
 * How many settlements an owner has in a UTC day; undefined: no limit. Also in the function `daily_limit` of the
 * migrations.
 */
export function dailyLimit(
  { dailySettlements, grantedAtMost }: OwnerLimits,
  { sponsorship, granted }: Pick<OwnerUse, 'sponsorship' | 'granted'>,
): number | undefined {
  if (sponsorship === 'listed' && granted !== undefined)
    return Math.min(granted, grantedAtMost ?? Number.POSITIVE_INFINITY)
  return dailySettlements[sponsorship] ?? undefined
}

/** The owners of secrets: whose gas is paid, and how much they used. Each method may be repeated. */
export interface OwnerLedger {
  /** Of the UTC day of this time, in Unix seconds. An owner that nothing was said of is named. */
  use(owner: string, nowSeconds: number): Promise<OwnerUse>
  /** Says why the gas of an owner is paid, and how much, in place of what was said before. One that is named stays as it is. */
  sponsor(owner: string, sponsoring: Sponsoring): Promise<void>
  /** The operator takes the name back: a named owner, or one that nothing was said of, is unlisted. A listed one stays so. */
  unname(owner: string): Promise<void>
  /** Of the UTC day of this time, in Unix seconds. */
  nearLimits(limits: OwnerLimits, nowSeconds: number): Promise<NearLimits>
}
