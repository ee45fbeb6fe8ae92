import type { Database } from '@farebox/server/internal/postgres/connect'

/** Between two checks that orders trigger. */
const LEAST_APART = `interval '30 seconds'`

/** A triggered check that has not ended by then was not counted, and is asked for again. */
const LOST_AFTER = `interval '90 seconds'`

/** One that is planned sooner is soon enough; it may be under way, and then its result must count. */
const SOON_ENOUGH = `interval '120 seconds'`

/**
 * Has an agent checked now, because an order could not reach it or failed by its fault. Only the check changes how others
 * see the agent. At most one in 30 s, and the planned check keeps its time: callers decide neither how often an agent is asked
 * nor its uptime.
 */
export async function checkSoon(database: Database, agentId: number): Promise<void> {
  await database.query(
    'check-soon',
    `update agent_health set planned_at = coalesce(planned_at, due_at), due_at = now(), hastened_at = now()
     where agent_id = $1 and due_at > clock_timestamp() + ${SOON_ENOUGH} and due_at < 'infinity'
       and (checked_at is null or checked_at < now() - ${LEAST_APART})
       and (hastened_at is null or hastened_at <= checked_at or hastened_at < now() - ${LOST_AFTER})`,
    [agentId],
  )
}
