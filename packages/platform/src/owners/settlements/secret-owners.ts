import type { Database } from '@farebox/server/internal/postgres/connect'
import { STANDING, type OwnerStanding } from './owner-standing.ts'

/** An owner whose listing and stakes are ours to report, until the lease ends. */
export interface ListingReport extends OwnerStanding {
  readonly owner: string
  /** It is recorded as reported only while this is the newest. */
  readonly revision: string
}

/** At a time; `PUT /owners` takes no more. */
const OWNERS_AT_ONCE = 200
/** Longer than a report may take. */
const LEASE_MS = 30_000
/** Everything is reported again so often, in case the facilitator lost it or two reports overtook one another. */
export const REPORTED_AGAIN_MS = 3_600_000

/**
 * Has the owner's listing reported, whatever was reported before. Called before a secret is made and after it, so that
 * neither a crash nor a report under way leaves an older one in force.
 */
export async function reportOwnerAnew(database: Database, owner: string): Promise<void> {
  await database.query(
    'report-owner-anew',
    `insert into secret_owners as s (owner) values ($1)
     on conflict (owner) do update set reported = null, revision = s.revision + 1`,
    [owner],
  )
}

/** Takes owners whose listing or stakes are not what was reported last, or were reported long ago. */
export async function takeListingReports(
  database: Database,
  nowMs: number,
): Promise<readonly ListingReport[]> {
  return await database.query<ListingReport & { readonly [column: string]: unknown }>(
    'take-listing-reports',
    `with due as (
       select s.owner, t.listing, t.stakes from secret_owners s cross join lateral ${STANDING} t
       where s.leased_until <= $1
         and ((s.reported, s.reported_stakes) is distinct from (t.listing, t.stakes) or s.reported_at <= $2)
       order by s.owner limit ${OWNERS_AT_ONCE} for update of s skip locked
     )
     update secret_owners s set leased_until = $3, revision = s.revision + 1 from due where s.owner = due.owner
     returning s.owner, due.listing, due.stakes::text[], s.revision`,
    [new Date(nowMs), new Date(nowMs - REPORTED_AGAIN_MS), new Date(nowMs + LEASE_MS)],
  )
}

/** Records what the facilitator has taken. */
export async function recordListingReports(
  database: Database,
  reports: readonly ListingReport[],
  nowMs: number,
): Promise<void> {
  await database.query(
    'record-listing-reports',
    `update secret_owners s
     set reported = r.listing, reported_stakes = r.stakes::numeric[], reported_at = $5, leased_until = '-infinity'
     from unnest($1::text[], $2::text[], $3::text[], $4::bigint[]) as r (owner, listing, stakes, revision)
     where s.owner = r.owner and s.revision = r.revision`,
    [
      reports.map(({ owner }) => owner),
      reports.map(({ listing }) => listing),
      // Arrays of arrays are flattened: each is written as PostgreSQL writes one.
      reports.map(({ stakes }) => `{${stakes.join(',')}}`),
      reports.map(({ revision }) => revision),
      new Date(nowMs),
    ],
  )
}
