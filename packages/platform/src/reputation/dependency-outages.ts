import type { Database } from '@farebox/server/internal/postgres/connect'

/** What a paid job needs and its agent does not answer for. */
export type Dependency = 'facilitator' | 'node' | 'platform'

/** For how long outages are remembered: no job is judged later. */
export const OUTAGES_KEPT_MS = 35 * 86_400_000

/** Two sightings no further apart are one outage. */
const ONE_OUTAGE_MS = 30_000

/**
 * Writes down that something was away from `fromMs` to `toMs`: one row grows for as long as an outage goes on, whichever
 * process sees it.
 */
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

/** Was anything away at some moment between the two? */
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

/** Forgets what nobody will be judged by any more. */
export async function forgetDependencyOutages(database: Database, nowMs: number): Promise<void> {
  await database.query('forget-outages', 'delete from outages where seen_at < $1', [
    new Date(nowMs - OUTAGES_KEPT_MS),
  ])
}
