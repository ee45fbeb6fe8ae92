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

/**
 * Locks agents, and those who would be inspected again if these gave their endpoints up: who is refused or provisional
 * there, and at the endpoints that are blocked for them. All in ascending order of their numbers, as everybody locks
 * agents: whoever locked its own first and the others later could wait for one that waits for it.
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
