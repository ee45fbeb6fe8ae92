import type { SettlementLimit, SettlementShare } from '@farebox/platform-api/owners'

type Rule = NonNullable<SettlementLimit['rule']>
type Badge = SettlementShare['badge']

/** A way to raise an owner's limit, and by how many settlements a day. */
export type Raise =
  /** An agent that currently adds nothing. */
  | { readonly kind: 'back'; readonly share: SettlementShare; readonly more: number }
  | { readonly kind: 'badge'; readonly share: SettlementShare; readonly badge: Badge; readonly more: number }
  | { readonly kind: 'another'; readonly more: number }

const BADGES: readonly Badge[] = ['none', 'verified', 'bronze', 'silver', 'gold']
const MOST_RAISES = 3

/**
 * The ways to raise a limit, the largest gain first, within the bounds of an owner: at most three agents, then another
 * agent.
 */
export function findRaises(shares: readonly SettlementShare[], rule: Rule): readonly Raise[] {
  const sum = shares.reduce((total, share) => total + share.settlements, 0)
  const bounded = (total: number): number => Math.min(Math.max(total, rule.at_least), rule.at_most)
  const gain = <R extends Raise>(raise: R): R => ({
    ...raise,
    more: bounded(sum + raise.more) - bounded(sum),
  })
  const ofAgents = shares
    .map(share => raiseOf(share, rule))
    .filter(raise => raise !== undefined)
    .map(gain)
    .toSorted((one, other) => other.more - one.more)
  const another: Raise = gain({ kind: 'another', more: rule.per_stake.none })
  return [...ofAgents.slice(0, MOST_RAISES), another].filter(({ more }) => more > 0)
}

function raiseOf(share: SettlementShare, rule: Rule): Raise | undefined {
  const units = Number(share.stake) / Number(rule.stake)
  const earns = (badge: Badge): number => Math.floor(units * rule.per_stake[badge] + ROUNDING)
  if (share.counts_nothing !== null) return { kind: 'back', share, more: earns(share.badge) }
  const next = BADGES[BADGES.indexOf(share.badge) + 1]
  return next && { kind: 'badge', share, badge: next, more: earns(next) - share.settlements }
}

/** Tolerance for quotients of stakes, which are decimal fractions and not exact in binary. */
const ROUNDING = 1e-6
