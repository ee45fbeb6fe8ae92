import type { Database } from '@farebox/server/internal/postgres/connect'
import { AGENT_COLUMNS, toAgentRow, type AgentColumns, type AgentRow } from './agent-row.ts'

/** Reads that are under way, by database. */
const underWay = new WeakMap<Database, Map<number, Promise<AgentRow | undefined>>>()

/**
 * The agent of this number in whatever standing, or undefined where the registry never knew it. Calls
 * during a read share its result: every job of an agent reads it, and many run at a time.
 */
export async function readAgent(database: Database, agentId: number): Promise<AgentRow | undefined> {
  const reads = underWay.get(database) ?? new Map<number, Promise<AgentRow | undefined>>()
  underWay.set(database, reads)
  const begun = reads.get(agentId)
  if (begun !== undefined) return await begun
  const read = readNow(database, agentId).finally(() => reads.delete(agentId))
  reads.set(agentId, read)
  return await read
}

async function readNow(database: Database, agentId: number): Promise<AgentRow | undefined> {
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
