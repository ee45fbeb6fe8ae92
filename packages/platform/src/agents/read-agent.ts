import type { Database } from '@farebox/server/internal/postgres/connect'
import { AGENT_COLUMNS, toAgentRow, type AgentColumns, type AgentRow } from './agent-row.ts'

/** The agent of this number in whatever standing, or undefined where the registry never knew it. */
export async function readAgent(database: Database, agentId: number): Promise<AgentRow | undefined> {
  const [row] = await database.query<AgentColumns>(
    'read-agent',
    `select ${AGENT_COLUMNS} from agents where agent_id = $1`,
    [agentId],
  )
  return row && toAgentRow(row)
}

/** Those of these agents that the registry knows, in whatever standing and in no order. */
export async function readAgents(
  database: Database,
  agentIds: readonly number[],
): Promise<readonly AgentRow[]> {
  if (agentIds.length === 0) return []
  const rows = await database.query<AgentColumns>(
    'read-agents',
    `select ${AGENT_COLUMNS} from agents where agent_id = any($1::bigint[])`,
    [agentIds],
  )
  return rows.map(toAgentRow)
}
