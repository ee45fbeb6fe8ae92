import type pg from 'pg'

/**
 * Starts the health checks of an agent, with the first one due soon. Changes nothing when the agent is already watched.
 * Results from before the agent was unwatched still count.
 *
 * Runs in the caller's transaction, which has locked or just written the `agents` row: all code locks `agents` before
 * `agent_health`.
 */
export async function watchAgent(client: pg.PoolClient, agentId: number, nowMs: number): Promise<void> {
  // The time is limited to the database's now, so that a machine whose clock is ahead cannot delay the first check.
  await client.query(
    `insert into agent_health (agent_id, watched_since, due_at)
     values ($1, least(to_timestamp($2 / 1000.0), now()), least(to_timestamp($2 / 1000.0), now()))
     on conflict (agent_id) do update set due_at = excluded.due_at where agent_health.due_at = 'infinity'`,
    [agentId, nowMs],
  )
  await client.query(
    `insert into agent_badges (agent_id, due_at) values ($1, least(to_timestamp($2 / 1000.0), now()))
     on conflict (agent_id) do update set due_at = least(agent_badges.due_at, excluded.due_at)`,
    [agentId, nowMs],
  )
}

/** Stops the health checks of an agent. The fence makes a running check discard its result. The history is kept. */
export async function unwatchAgent(client: pg.PoolClient, agentId: number): Promise<void> {
  await client.query(
    `update agent_health set due_at = 'infinity', planned_at = null, fence = fence + 1 where agent_id = $1`,
    [agentId],
  )
  await client.query(`update agent_badges set due_at = 'infinity' where agent_id = $1`, [agentId])
}
