import type { OwnerLimits } from './ledger/owner-ledger.ts'

/** The numbers an operator may turn. */
export interface FacilitatorLimits {
  /** Atomic units; default 1,000: 0.001 USDC. */
  readonly minimumAtomic: bigint
  /** The limits of owners: open payments, and use in a day. */
  readonly owners: OwnerLimits
  /** keccak256 of runtime codes: accounts that have one of them, or are delegated to one, pay as ordinary ones do. */
  readonly knownCodes: readonly string[]
  /** Requests a second, for each secret and route; default 500. */
  readonly requestsPerSecond: number
  /** Wei a unit of gas may cost; default 50 gwei. */
  readonly maxFeePerGas: bigint
  /** With gas for fewer settlements no payment is taken; default 50. */
  readonly minSettlementsLeft: number
  /** How long `/settle` waits for the proof; default 20 s. */
  readonly settleWaitMs: number
  /** How long the relayer account rests after a crash of its process; default 4 s. */
  readonly leaseMs: number
  /** How long a transaction waits for a block before it is sent again with higher fees; default 15 s. */
  readonly stuckAfterMs: number
  /** How often ledger and chain are compared; default 60 s. */
  readonly reconcileMs: number
}

/**
 * The limits where an operator sets none.
 *
 * @example
 * ```ts
 * import { DEFAULT_LIMITS, type FacilitatorLimits } from '@farebox/facilitator/facilitator-limits'
 *
 * // For `limits` of `createFacilitator`: a hundred settlements a day for owners that no platform lists.
 * export const limits: Partial<FacilitatorLimits> = {
 *   owners: {
 *     ...DEFAULT_LIMITS.owners,
 *     dailySettlements: { ...DEFAULT_LIMITS.owners.dailySettlements, unlisted: 100 },
 *   },
 * }
 * ```
 */
export const DEFAULT_LIMITS: FacilitatorLimits = {
  minimumAtomic: 1_000n,
  owners: {
    dailySettlements: { named: null, listed: 100_000, unlisted: 20 },
    grantedAtMost: 1_000_000,
    open: 5_000,
    openAlone: 50,
    revertedGas: 1_000_000,
  },
  knownCodes: [],
  requestsPerSecond: 500,
  maxFeePerGas: 50_000_000_000n,
  minSettlementsLeft: 50,
  settleWaitMs: 20_000,
  leaseMs: 4_000,
  stuckAfterMs: 15_000,
  reconcileMs: 60_000,
}
