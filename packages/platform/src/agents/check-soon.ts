import type { Database } from '@farebox/server/internal/postgres/connect'

/**
 * How long a worker has for a check: two attempts, a wait for its turn before the second, a look at whether the outage is
 * our own, and the writing. Afterwards somebody else takes the agent.
 */
export const CHECK_LEASE_MS = 90_000

/** Between two checks that orders trigger. */
const LEAST_APART = `interval '30 seconds'`

/** A triggered check that has not ended by then was lost with its worker. */
const LOST_AFTER = `interval '${CHECK_LEASE_MS} milliseconds'`

/** A check that is due sooner may be under way: its result must count. */
const UNDER_WAY = `interval '${CHECK_LEASE_MS + 30_000} milliseconds'`

/**
 * Has an agent checked now, because an order could not reach it or failed by its fault. Only the check changes how others
 * see the agent. At most one in 30 s, and the planned check keeps its time: callers decide neither how often an agent is asked
 * nor its uptime.
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
