import type pg from 'pg'
import { AGENT_COLUMNS, toAgentRow, type AgentColumns, type AgentRow } from './agent-row.ts'

/** Reads and locks the row of an agent until the transaction ends; `undefined` when there is none. */
export async function lockAgent(client: pg.PoolClient, agentId: number): Promise<AgentRow | undefined> {
  const { rows } = await client.query<AgentColumns>(
    `select ${AGENT_COLUMNS} from agents where agent_id = $1 for update`,
    [agentId],
  )
  return rows[0] && toAgentRow(rows[0])
}

/**
 * Locks the agents, and the agents that would be inspected again if these gave up their endpoints: the refused and
 * provisional ones at these endpoints and at the endpoints blocked for these agents. All rows are locked in ascending order
 * of id, as everywhere. Locking the own agents first and the others later could deadlock with another transaction.
 */
export async function lockWithCompetitors(client: pg.PoolClient, agentIds: readonly number[]): Promise<void> {
  if (agentIds.length === 0) return
  await client.query(
    `select from agents where agent_id in (
       select unnest($1::bigint[])
       union
       select other.agent_id
       from (
         select endpoint from agents where agent_id = any($1) union
         select endpoint from taken_down_endpoints where agent_id = any($1)
       ) concerned
       join agents other on other.endpoint = concerned.endpoint and other.standing in ('refused', 'provisional'))
     order by agent_id for update`,
    [agentIds],
  )
}
