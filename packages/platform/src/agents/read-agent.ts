import type { Database } from '@farebox/server/internal/postgres/connect'
import { AGENT_COLUMNS, toAgentRow, type AgentColumns, type AgentRow } from './agent-row.ts'

/** Pending reads, by database. */
const underWay = new WeakMap<Database, Map<number, Promise<AgentRow | undefined>>>()

/**
 * The agent of this number with any listing status; `undefined` when the registry never had it. Concurrent calls share one
 * read, because every job of an agent reads it and many jobs run at a time.
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

/** Results of {@link readRecentAgent}, by database. */
const recent = new WeakMap<Database, Map<number, { readonly readAtMs: number; readonly agent: AgentRow }>>()

/** How long a result is reused: many jobs of one agent reach the same step within this time. */
const RECENT_MS = 20

/**
 * Like {@link readAgent}, but the result can be up to {@link RECENT_MS} old. For callers that read an agent repeatedly and
 * could miss a very recent change in any case.
 */
export async function readRecentAgent(database: Database, agentId: number): Promise<AgentRow | undefined> {
  const reads =
    recent.get(database) ?? new Map<number, { readonly readAtMs: number; readonly agent: AgentRow }>()
  recent.set(database, reads)
  const known = reads.get(agentId)
  const nowMs = performance.now()
  if (known !== undefined && nowMs - known.readAtMs < RECENT_MS) return known.agent
  const agent = await readAgent(database, agentId)
  // Entries are in the order of their reads, so the expired ones come first.
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

/** The agents of these numbers that the registry knows, with any listing status and in no particular order. */
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
