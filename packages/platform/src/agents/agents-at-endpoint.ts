import type pg from 'pg'
import { AGENT_COLUMNS, toAgentRow, type AgentColumns, type AgentRow } from './agent-row.ts'

/** The row of an agent, locked until the transaction ends. */
export async function lockAgent(client: pg.PoolClient, agentId: number): Promise<AgentRow | undefined> {
  const { rows } = await client.query<AgentColumns>(
    `select ${AGENT_COLUMNS} from agents where agent_id = $1 for update`,
    [agentId],
  )
  return rows[0] && toAgentRow(rows[0])
}

/** Has whoever else stands at an endpoint looked at again soon: the one who stood before them is gone. */
export async function lookAtRivals(
  client: pg.PoolClient,
  endpoint: string | undefined,
  exceptAgentId: number,
  nowMs: number,
): Promise<void> {
  if (endpoint === undefined) return
  await client.query(
    `update agents set next_refresh_at = $3, look_since = $3, look_failures = 0
     where endpoint = $1 and agent_id <> $2 and standing in ('refused', 'provisional')`,
    [endpoint, exceptAgentId, new Date(nowMs)],
  )
}
