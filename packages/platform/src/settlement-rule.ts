import { STAKE_WEI } from '@farebox/contracts/internal/calls/registry-calls'

/**
 * How many settlements a UTC day an owner is granted: for each listed agent so many per stake, the more the higher its
 * badge, added up, and bounded on both sides (decision 68). A badge shows what the monitor and the jobs of
 * others say of an agent; what is staked makes many owners dear.
 */
export interface SettlementRule {
  /** Of an agent with this badge, for each {@link STAKE_WEI} staked for it. */
  readonly perStake: {
    readonly [badge in 'none' | 'verified' | 'bronze' | 'silver' | 'gold']: number
  }
  /** Of every owner with a listed agent. */
  readonly atLeast: number
  /** Of one owner, however much is staked. */
  readonly atMost: number
}

/** Where an operator says nothing: from $0.90 of gas a day for a new agent to $900 for a proven one, at $0.0009 each. */
export const DEFAULT_SETTLEMENT_RULE: SettlementRule = {
  perStake: { none: 1_000, verified: 2_000, bronze: 10_000, silver: 100_000, gold: 1_000_000 },
  atLeast: 1_000,
  atMost: 1_000_000,
}

/** What is staked for agents of one badge that are online and payable; others count for nothing. */
export interface CountedStake {
  readonly badge: keyof SettlementRule['perStake']
  readonly stakeWei: bigint
}

/** What a stake adds to its owner's settlements of a day. */
export function settlementsOfStake({ perStake }: SettlementRule, { badge, stakeWei }: CountedStake): number {
  return Number((stakeWei * BigInt(perStake[badge])) / STAKE_WEI)
}

/** Settlements a UTC day of an owner with a listed agent. */
export function grantedSettlements(rule: SettlementRule, stakes: readonly CountedStake[]): number {
  const sum = stakes.reduce((total, stake) => total + settlementsOfStake(rule, stake), 0)
  return Math.min(Math.max(sum, rule.atLeast), rule.atMost)
}
