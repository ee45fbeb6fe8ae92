import { STAKE_WEI } from '@farebox/contracts/internal/calls/registry-calls'

/**
 * How many settlements per UTC day an owner is granted. Each listed agent adds an amount per stake that grows with its
 * badge. The sum has a lower and an upper bound (decision 68). A badge reflects the monitor's checks and the jobs of other
 * payers; the stake makes it expensive to create many owners.
 */
export interface SettlementRule {
  /** For an agent with this badge: settlements for each {@link STAKE_WEI} staked for it. */
  readonly perStake: {
    readonly [badge in 'none' | 'verified' | 'bronze' | 'silver' | 'gold']: number
  }
  /** The minimum for every owner with a listed agent. */
  readonly atLeast: number
  /** The maximum for one owner, independent of the stake. */
  readonly atMost: number
}

/**
 * Used when the operator configures no rule: from $0.90 of gas a day for a new agent to $900 for a proven one, at $0.0009
 * each.
 */
export const DEFAULT_SETTLEMENT_RULE: SettlementRule = {
  perStake: { none: 1_000, verified: 2_000, bronze: 10_000, silver: 100_000, gold: 1_000_000 },
  atLeast: 1_000,
  atMost: 1_000_000,
}

/** The stake of agents of one badge that are online and payable. Other agents are not counted. */
export interface CountedStake {
  readonly badge: keyof SettlementRule['perStake']
  readonly stakeWei: bigint
}

/** The settlements per day that one stake adds for its owner. */
export function settlementsOfStake({ perStake }: SettlementRule, { badge, stakeWei }: CountedStake): number {
  return Number((stakeWei * BigInt(perStake[badge])) / STAKE_WEI)
}

/** The settlements per UTC day of an owner with a listed agent. */
export function grantedSettlements(rule: SettlementRule, stakes: readonly CountedStake[]): number {
  const sum = stakes.reduce((total, stake) => total + settlementsOfStake(rule, stake), 0)
  return Math.min(Math.max(sum, rule.atLeast), rule.atMost)
}
