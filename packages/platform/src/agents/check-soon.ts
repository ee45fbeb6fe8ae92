import type { Database } from '@farebox/server/internal/postgres/connect'

/** Between two checks of an agent that orders ask for. */
const LEAST_APART = `interval '30 seconds'`

/** A check that was asked for and has not ended by then was lost with its worker. */
const LOST_AFTER = `interval '90 seconds'`

/** What is due sooner may be under way: the end of its lease is at most 90 s ahead. Its result must count. */
const UNDER_WAY = `interval '120 seconds'`

/**
 * Has an agent checked now, because an order could not reach it or failed by its fault. Only the check changes how others
 * see the agent. At most one in 30 s, and the planned check stays where it is: whoever orders decides neither how often an
 * agent is asked nor what its uptime is.
 */
export async function checkSoon(database: Database, agentId: number): Promise<void> {
  await database.query(
    'check-soon',
    `update agent_health set planned_at = coalesce(planned_at, due_at), due_at = now(), hastened_at = now()
     where agent_id = $1 and due_at > clock_timestamp() + ${UNDER_WAY} and due_at < 'infinity'
       and (checked_at is null or checked_at < now() - ${LEAST_APART})
       and (hastened_at is null or hastened_at <= checked_at or hastened_at < now() - ${LOST_AFTER})`,
    [agentId],
  )
}
