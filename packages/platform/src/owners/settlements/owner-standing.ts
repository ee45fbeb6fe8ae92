import type { Database } from '@farebox/server/internal/postgres/connect'
import type { Badge } from '../../agents/agent-row.ts'
import { grantedSettlements, type CountedStake, type SettlementRule } from '../../settlement-rule.ts'
import type { SecretWanted } from './facilitator-admin.ts'

/** What a platform knows of why the gas of an owner's settlements is paid (D41). */
export type Listing = 'listed' | 'unlisted'

/** What an owner's limit follows. */
export interface OwnerStanding {
  readonly listing: Listing
  /** What is staked for its listed agents that are online and payable: wei in decimal digits, by badge as earned. */
  readonly stakes: { readonly [badge in Badge]?: string }
}

/** Agents whose stake counts, in a query where they are `a`. */
export const COUNTS = `a.standing = 'listed' and not a.is_offline and a.wallet is not null and a.wallet = a.proven_wallet`

/** The columns of {@link OwnerStanding} for a row `s` with an owner: to be joined laterally. */
export const STANDING = `(
  select case when bool_or(b.is_listed) then 'listed' else 'unlisted' end as listing,
    coalesce(jsonb_object_agg(b.badge, b.stake_wei) filter (where b.stake_wei is not null), '{}') as stakes
  from (
    select a.badge, bool_or(a.standing = 'listed') as is_listed,
      (sum(a.stake_wei) filter (where ${COUNTS}))::text as stake_wei
    from agents a where a.owner = s.owner group by a.badge) b)`

/** Reads it as it is now. */
export async function readStanding(database: Database, owner: string): Promise<OwnerStanding> {
  const [row] = await database.query<OwnerStanding & { readonly [column: string]: unknown }>(
    'read-standing',
    `select t.listing, t.stakes from (select $1::text as owner) s cross join lateral ${STANDING} t`,
    [owner],
  )
  return row ?? { listing: 'unlisted', stakes: {} }
}

/** What the facilitator is told of it. Without a rule it gives every listed owner its own one number. */
export function sponsoringOf(
  { listing, stakes }: OwnerStanding,
  rule: SettlementRule | undefined,
): Pick<SecretWanted, 'sponsorship' | 'dailySettlements'> {
  if (listing === 'unlisted' || rule === undefined) return { sponsorship: listing }
  return { sponsorship: listing, dailySettlements: grantedSettlements(rule, countedStakes(stakes)) }
}

function countedStakes(stakes: OwnerStanding['stakes']): readonly CountedStake[] {
  const badges: readonly Badge[] = ['none', 'verified', 'bronze', 'silver', 'gold']
  return badges.flatMap(badge => {
    const wei = stakes[badge]
    return wei === undefined ? [] : [{ badge, stakeWei: BigInt(wei) }]
  })
}
