import type { Database } from '@farebox/server/internal/postgres/connect'
import {
  NEAR_LIMIT,
  NEAR_OWNERS_SHOWN,
  type OwnerLedger,
  type OwnerLimits,
  type Sponsorship,
} from '../owner-ledger.ts'

interface UseRow {
  readonly sponsorship: Sponsorship
  readonly granted: number | null
  readonly settlements: number
  readonly unsent: number
  readonly reverted_gas: number
}

interface NearRow {
  readonly near: number
  readonly at: number
  readonly owners: readonly { readonly owner: string; readonly used: number; readonly limit: number }[]
}

/** {@link OwnerLedger} on PostgreSQL. */
export function createPostgresOwners({ schema, query }: Database): OwnerLedger {
  const use = `select ${schema}.owner_use_now($1, $2) as use`
  const sponsor = sponsorStatement(schema)
  // An unknown owner counts as named, so it gets a row.
  const unname = `insert into ${schema}.owners as o (owner, sponsorship) values ($1, 'unlisted')
    on conflict (owner) do update set sponsorship = 'unlisted', granted = null where o.sponsorship = 'named'`
  const near = nearStatement(schema)
  return {
    async use(owner, nowSeconds) {
      const [row] = await query<{ use: UseRow }>('ownerUse', use, [owner, nowSeconds])
      if (row === undefined) throw new Error('ownerUse returned no row')
      const { sponsorship, granted, settlements, unsent, reverted_gas: revertedGas } = row.use
      return { sponsorship, granted: granted ?? undefined, settlements, unsent, revertedGas }
    },
    async sponsor(owner, { sponsorship, granted }) {
      await query('sponsor', sponsor, [owner, sponsorship, granted ?? null])
    },
    async unname(owner) {
      await query('unname', unname, [owner])
    },
    async nearLimits(limits, nowSeconds) {
      const [row] = await query<NearRow>('nearLimits', near, [nowSeconds, toLimitsJson(limits)])
      if (row === undefined) throw new Error('nearLimits returned no row')
      return { near: row.near, at: row.at, owners: row.owners }
    },
  }
}

/** Limits in the form that `hold` and `daily_limit` read. */
export function toLimitsJson(limits: OwnerLimits): object {
  return {
    daily_settlements: limits.dailySettlements,
    granted_at_most: limits.grantedAtMost ?? null,
    open: limits.open,
    open_alone: limits.openAlone,
    reverted_gas: limits.revertedGas,
  }
}

/** Owners that have used four fifths of their limit or more on the UTC day of the time $1, under the limits $2. */
function nearStatement(schema: string): string {
  return `with used as (
      select owner, sum(settlements)::integer as used from (
        select owner, settlements from ${schema}.owner_use where day = (to_timestamp($1) at time zone 'UTC')::date
        union all
        select owner, count(*) from ${schema}.payments
          where state = 'captured' or (state = 'held' and hold_until > $1) group by owner) s
      group by owner
    ), judged as (
      select u.owner, u.used, ${schema}.daily_limit(coalesce(o.sponsorship, 'named'), o.granted, $2) as daily_limit
        from used u left join ${schema}.owners o on o.owner = u.owner
    ), close as (
      select owner, used, daily_limit, row_number() over (order by owner collate "C") as place
        from judged where used >= ${NEAR_LIMIT} * daily_limit)
    select (count(*) filter (where used < daily_limit))::integer as near,
      (count(*) filter (where used >= daily_limit))::integer as at,
      coalesce(json_agg(json_build_object('owner', owner, 'used', used, 'limit', daily_limit) order by place)
        filter (where place <= ${NEAR_OWNERS_SHOWN}), '[]') as owners
    from close`
}

/** Records why the gas of an owner ($1) is paid ($2) and how much is granted ($3); a named owner stays unchanged. */
export function sponsorStatement(schema: string): string {
  return `insert into ${schema}.owners as o (owner, sponsorship, granted) values ($1, $2, $3)
    on conflict (owner) do update set sponsorship = excluded.sponsorship, granted = excluded.granted
    where o.sponsorship <> 'named'`
}
