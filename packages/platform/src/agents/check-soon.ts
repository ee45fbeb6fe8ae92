import type { Database } from '@farebox/server/internal/postgres/connect'

/** The minimum interval between two checks triggered by orders. */
const LEAST_APART = `interval '30 seconds'`

/** A triggered check without a result after this time counts as lost, and can be triggered again. */
const LOST_AFTER = `interval '90 seconds'`

/** A planned check that is due within this time is not moved: it may be running already, and its result must count. */
const SOON_ENOUGH = `interval '120 seconds'`

/**
 * Makes an agent's next health check due now, because an order could not reach the agent or failed by its fault. Only the
 * check changes how others see the agent. At most one check in 30 s is triggered, and the planned check keeps its time, so
 * that callers control neither the request rate at an agent nor its uptime.
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
