import type { Database } from '@farebox/server/postgres/connect'
import type pg from 'pg'
import { indexAgent } from './index-agent.ts'

/** A job that ended so long ago has been written by now, whichever worker wrote it. */
const SETTLING_MS = 30_000
const MOST_JOBS_AT_ONCE = 5_000

/**
 * Makes the entries of agents anew that had paid jobs done since it was last called, so that standing and the number of
 * jobs follow. Resolves to how many agents there were; 0 also where another worker is at it.
 */
export async function recountJobs(database: Database, nowMs: number): Promise<number> {
  return database.inTransaction(async holder => {
    const span = await openSpan(holder, nowMs)
    if (span === undefined) return 0
    const { rows } = await holder.query<{ agent_id: string }>(
      `select distinct agent_id from jobs where ${PAID} and finished_at > $1::timestamptz and finished_at <= $2::timestamptz
       order by agent_id`,
      [span.after, span.until],
    )
    // Each on its own: nobody who changes an agent waits for the others.
    for (const { agent_id: agentId } of rows)
      await database.inTransaction(client => indexAgent(client, Number(agentId)))
    await holder.query('update search_recounts set counted_until = $1::timestamptz', [span.until])
    return rows.length
  })
}

const PAID = `kind = 'caller' and state = 'completed' and not charged_without_delivery`

/** What has not been counted yet, as the database writes times; undefined where that is nothing or somebody else's. */
async function openSpan(
  holder: pg.PoolClient,
  nowMs: number,
): Promise<{ readonly after: string; readonly until: string } | undefined> {
  const { rows } = await holder.query<{ after: string; until: string | null }>(
    `select counted_until::text as after, (
       select max(finished_at)::text from (
         select finished_at from jobs
         where ${PAID} and finished_at > counted_until and finished_at <= to_timestamp($1::float8 / 1000)
         order by finished_at limit ${MOST_JOBS_AT_ONCE}
       ) as next) as until
     from search_recounts for update skip locked`,
    [nowMs - SETTLING_MS],
  )
  const [span] = rows
  const until = span?.until ?? undefined
  return span === undefined || until === undefined ? undefined : { after: span.after, until }
}
