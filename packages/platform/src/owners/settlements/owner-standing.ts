import type { Database } from '@farebox/server/internal/postgres/connect'
import type { Badge } from '../../agents/agent-row.ts'
import { grantedSettlements, type CountedStake, type SettlementRule } from '../../settlement-rule.ts'
import type { SecretWanted } from './facilitator-admin.ts'

/** Whether an owner has a listed agent; this decides why the gas of the owner's settlements is paid (D41). */
export type Listing = 'listed' | 'unlisted'

/** The facts from which an owner's settlement limit is computed. */
export interface OwnerStanding {
  readonly listing: Listing
  /**
   * Wei in decimal digits, staked for the owner's listed agents that are online and payable: one sum for each badge,
   * the lowest badge first.
   */
  readonly stakes: readonly string[]
}

/** The order of {@link OwnerStanding.stakes}. */
const BADGES: readonly Badge[] = ['none', 'verified', 'bronze', 'silver', 'gold']

/** The SQL condition for agents whose stake counts, in a query with `agents a`. */
export const COUNTS = `a.standing = 'listed' and not a.is_offline and a.wallet is not null and a.wallet = a.proven_wallet`

const stakeOf = (badge: Badge): string =>
  `coalesce(sum(a.stake_wei) filter (where a.badge = '${badge}' and ${COUNTS}), 0)`

/**
 * A subquery with the columns of {@link OwnerStanding}, to be joined laterally to a row `s` with an owner; the sums are
 * numeric there.
 */
export const STANDING = `(
  select case when bool_or(a.standing = 'listed') then 'listed' else 'unlisted' end as listing,
    array[${BADGES.map(stakeOf).join(', ')}] as stakes
  from agents a where a.owner = s.owner)`

/** Reads the current standing of an owner. */
export async function readStanding(database: Database, owner: string): Promise<OwnerStanding> {
  const [row] = await database.query<OwnerStanding & { readonly [column: string]: unknown }>(
    'read-standing',
    `select t.listing, t.stakes::text[] from (select $1::text as owner) s cross join lateral ${STANDING} t`,
    [owner],
  )
  return row ?? { listing: 'unlisted', stakes: [] }
}

/**
 * The values reported to the facilitator. Without a rule the facilitator gives every listed owner the same number of
 * its own.
 */
export function sponsoringOf(
  { listing, stakes }: OwnerStanding,
  rule: SettlementRule | undefined,
): Pick<SecretWanted, 'sponsorship' | 'dailySettlements'> {
  if (listing === 'unlisted' || rule === undefined) return { sponsorship: listing }
  const counted = BADGES.map((badge, place): CountedStake => ({
    badge,
    stakeWei: BigInt(stakes[place] ?? 0),
  }))
  return { sponsorship: listing, dailySettlements: grantedSettlements(rule, counted) }
}
