import type { Sponsorship } from '@farebox/payments/x402/facilitator-api'

export type { Sponsorship }

/** What an owner may have open and use up. Counted over all its secrets. */
export interface OwnerLimits {
  /** Settlements in a UTC day, held ones included; null: no limit. */
  readonly dailySettlements: { readonly [kind in Sponsorship]: number | null }
  /** Payments held, captured or in a transaction at once. */
  readonly open: number
  /** Of these, payments of accounts with code that nobody knows. */
  readonly openAlone: number
  /** Gas of reverted transactions in a UTC day: beyond it no payment of such an account is taken. */
  readonly revertedGas: number
}

/** What an owner has used up of its limits in a UTC day. */
export interface OwnerUse {
  readonly sponsorship: Sponsorship
  /** Sent, and sent again. */
  readonly settlements: number
  /** Held or captured now: they are about to count. */
  readonly unsent: number
  /** Gas of reverted transactions under its payments. */
  readonly revertedGas: number
}

/** The owners of secrets: whose gas is paid, and how much they used. Each method may be repeated. */
export interface OwnerLedger {
  /** Of the UTC day of this time, in Unix seconds. An owner that nothing was said of is named. */
  use(owner: string, nowSeconds: number): Promise<OwnerUse>
  /** Says why the gas of an owner is paid. One that the operator has named stays named. */
  sponsor(owner: string, sponsorship: Sponsorship): Promise<void>
  /** The operator takes the name back: a named owner, or one that nothing was said of, is unlisted. A listed one stays so. */
  unname(owner: string): Promise<void>
}
