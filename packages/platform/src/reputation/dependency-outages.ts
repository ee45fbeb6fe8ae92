import type { Database } from '@farebox/server/internal/postgres/connect'

/** A service that a paid job needs and for which its agent is not responsible. */
export type Dependency = 'facilitator' | 'node' | 'platform'

/** How long outages are stored; no job is judged later than this. */
export const OUTAGES_KEPT_MS = 35 * 86_400_000

/** Observations at most this far apart belong to one outage. */
const ONE_OUTAGE_MS = 30_000

/** Records an outage from `fromMs` to `toMs`. Observations of one outage by any process extend a single row. */
export async function writeDependencyOutage(
  database: Database,
  outage: { readonly what: Dependency; readonly fromMs: number; readonly toMs: number },
): Promise<void> {
  await database.query(
    'write-outage',
    `with grown as (
       update outages set began_at = least(began_at, $2), seen_at = greatest(seen_at, $3)
       where outage_id = (
         select outage_id from outages where what = $1 and seen_at >= $2::timestamptz - $4 * interval '1 millisecond'
           and began_at <= $3::timestamptz + $4 * interval '1 millisecond'
         order by seen_at desc limit 1)
       returning 1)
     insert into outages (what, began_at, seen_at) select $1, $2, $3 where not exists (select from grown)`,
    [outage.what, new Date(outage.fromMs), new Date(outage.toMs), ONE_OUTAGE_MS],
  )
}

/** Whether any dependency was unavailable at some moment in this interval. */
export async function sawDependencyOutage(
  database: Database,
  fromMs: number,
  toMs: number,
): Promise<boolean> {
  const rows = await database.query(
    'saw-outage',
    'select 1 as one from outages where seen_at >= $1 and began_at <= $2 limit 1',
    [new Date(fromMs), new Date(toMs)],
  )
  return rows.length > 0
}

/** Deletes outages that are no longer needed to judge a job. */
export async function forgetDependencyOutages(database: Database, nowMs: number): Promise<void> {
  await database.query('forget-outages', 'delete from outages where seen_at < $1', [
    new Date(nowMs - OUTAGES_KEPT_MS),
  ])
}
