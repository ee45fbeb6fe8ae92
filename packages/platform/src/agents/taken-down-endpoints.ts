import type pg from 'pg'

/**
 * Blocks the endpoint at which the operator takes an agent down. When it is already blocked for the same agent, only the
 * reason is changed. Runs in the caller's transaction, which has locked the agent's row.
 */
export async function blockEndpoint(
  client: pg.PoolClient,
  agentId: number,
  blocked: { readonly endpoint: string; readonly reason: string; readonly nowMs: number },
): Promise<void> {
  await client.query(
    `insert into taken_down_endpoints (endpoint, agent_id, reason, since) values ($1, $2, $3, $4)
     on conflict (endpoint, agent_id) do update set reason = excluded.reason`,
    [blocked.endpoint, agentId, blocked.reason, new Date(blocked.nowMs)],
  )
}

/** Removes all blocks of an agent and resolves to the endpoints that were blocked. */
export async function liftBlocks(client: pg.PoolClient, agentId: number): Promise<readonly string[]> {
  const { rows } = await client.query<{ endpoint: string }>(
    'delete from taken_down_endpoints where agent_id = $1 returning endpoint',
    [agentId],
  )
  return rows.map(({ endpoint }) => endpoint)
}

/** Whether an agent was taken down at this endpoint and not restored, even if that agent was deregistered since. */
export async function isBlocked(
  client: Pick<pg.PoolClient, 'query'>,
  endpoint: string | undefined,
): Promise<boolean> {
  if (endpoint === undefined) return false
  const { rows } = await client.query('select from taken_down_endpoints where endpoint = $1 limit 1', [
    endpoint,
  ])
  return rows.length > 0
}

/** The newest reason why an agent was taken down; `undefined` when it was not taken down or was restored. */
export async function readTakeDown(client: pg.PoolClient, agentId: number): Promise<string | undefined> {
  const { rows } = await client.query<{ reason: string }>(
    'select reason from taken_down_endpoints where agent_id = $1 order by since desc limit 1',
    [agentId],
  )
  return rows[0]?.reason
}
