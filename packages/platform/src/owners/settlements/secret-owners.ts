import type { Database } from '@farebox/server/internal/postgres/connect'
import { STANDING, type OwnerStanding } from './owner-standing.ts'

/** An owner whose listing and stakes this process has leased to report. */
export interface ListingReport extends OwnerStanding {
  readonly owner: string
  /** The report is recorded only while this is still the newest revision. */
  readonly revision: string
}

/** Owners in one report; `PUT /owners` accepts no more. */
const OWNERS_AT_ONCE = 200
/** Longer than one report may take. */
const LEASE_MS = 30_000
/**
 * Every owner is reported again after this time, in case the facilitator lost a report or two reports arrived in the
 * wrong order.
 */
export const REPORTED_AGAIN_MS = 3_600_000

/**
 * Makes a new report of this owner due, whatever was reported before. It is called before and after a secret is
 * created, so that neither a crash nor a report in progress leaves an older one in effect.
 */
export async function requestOwnerReport(database: Database, owner: string): Promise<void> {
  await database.query(
    'request-owner-report',
    `insert into secret_owners as s (owner) values ($1)
     on conflict (owner) do update set reported = null, revision = s.revision + 1`,
    [owner],
  )
}

/** Leases owners whose listing or stakes differ from the last report, or whose last report is old. */
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

/** Records the reports that the facilitator has accepted. */
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
      // node-postgres passes nested arrays as multidimensional ones, which `unnest` flattens; each array is therefore
      // written as text.
      reports.map(({ stakes }) => `{${stakes.join(',')}}`),
      reports.map(({ revision }) => revision),
      new Date(nowMs),
    ],
  )
}
