import type { OwnerLimits } from './ledger/owner-ledger.ts'

/** The limits that an operator can change. */
export interface FacilitatorLimits {
  /** In atomic units; default 1,000: 0.001 USDC. */
  readonly minimumAtomic: bigint
  /** The limits of owners: open payments, and use in a day. */
  readonly owners: OwnerLimits
  /**
   * keccak256 hashes of runtime codes: accounts that have one of them, or are delegated to one, are treated as ordinary
   * accounts.
   */
  readonly knownCodes: readonly string[]
  /** Requests per second, for each secret and route; default 500. */
  readonly requestsPerSecond: number
  /** The most a unit of gas may cost, in wei; default 50 gwei. */
  readonly maxFeePerGas: bigint
  /** No payment is taken when the gas money covers fewer settlements than this; default 50. */
  readonly minSettlementsLeft: number
  /** How long `/settle` waits for the proof; default 20 s. */
  readonly settleWaitMs: number
  /** How long a relayer account stays unused after a crash of its process; default 4 s. */
  readonly leaseMs: number
  /** How long a transaction waits for a block before it is sent again with higher fees; default 15 s. */
  readonly stuckAfterMs: number
  /** How often the ledger is compared with the chain; default 60 s. */
  readonly reconcileMs: number
}

/**
 * The limits of a facilitator whose operator sets none.
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
