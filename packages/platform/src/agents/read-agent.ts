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

/** What {@link readRecentAgent} has read, by database. */
const recent = new WeakMap<Database, Map<number, { readonly readAtMs: number; readonly agent: AgentRow }>>()

/** Many jobs of one agent are at the same step within so long. */
const RECENT_MS = 20

/**
 * The same as of at most {@link RECENT_MS} ago, for those who look at an agent again and again and would not see a change
 * that has just been made in any case.
 */
export async function readRecentAgent(database: Database, agentId: number): Promise<AgentRow | undefined> {
  const reads =
    recent.get(database) ?? new Map<number, { readonly readAtMs: number; readonly agent: AgentRow }>()
  recent.set(database, reads)
  const known = reads.get(agentId)
  const nowMs = performance.now()
  if (known !== undefined && nowMs - known.readAtMs < RECENT_MS) return known.agent
  const agent = await readAgent(database, agentId)
  // Nobody asks for those of before any more.
  for (const [id, { readAtMs }] of reads) {
    if (nowMs - readAtMs < RECENT_MS) break
    reads.delete(id)
  }
  reads.delete(agentId)
  if (agent !== undefined) reads.set(agentId, { readAtMs: nowMs, agent })
  return agent
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
