import type pg from 'pg'

/**
 * Begins the checks of an agent, the first of them soon; where it is checked already, nothing changes. What was counted
 * before it was unwatched goes on counting.
 *
 * Runs in the caller's transaction, which holds the lock on the `agents` row or has just written it: everybody locks
 * `agents` before `agent_health`.
 */
export async function watchAgent(client: pg.PoolClient, agentId: number, nowMs: number): Promise<void> {
  // A machine whose clock is ahead must not put the first check off.
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

/** Ends the checks of an agent; the result of one that is under way is not written. Its history is kept. */
export async function unwatchAgent(client: pg.PoolClient, agentId: number): Promise<void> {
  await client.query(
    `update agent_health set due_at = 'infinity', planned_at = null, fence = fence + 1 where agent_id = $1`,
    [agentId],
  )
  await client.query(`update agent_badges set due_at = 'infinity' where agent_id = $1`, [agentId])
}
