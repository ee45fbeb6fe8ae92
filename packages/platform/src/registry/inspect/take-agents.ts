import type { Database } from '@farebox/server/internal/postgres/connect'

/**
 * Longer than any inspection, which makes at most three calls of 10 s. After this time another process may lease the
 * agent.
 */
const LEASE_MS = 40_000
/** The minimum interval between two inspections of one agent on demand. */
const DEMAND_INTERVAL_MS = 60_000

/**
 * Leases agents that are due for inspection, the most overdue first, by moving their due time into the future. When the
 * process dies, the agents become due again at that time.
 */
export async function takeDueAgents(
  database: Database,
  nowMs: number,
  limit: number,
): Promise<readonly number[]> {
  const rows = await database.query<{ agent_id: string }>(
    'take-due-agents',
    `update agents set next_refresh_at = $2, looked_at = $1 where agent_id in (
       select agent_id from agents where next_refresh_at <= $1 order by next_refresh_at limit $3
       for update skip locked)
     returning agent_id`,
    [new Date(nowMs), new Date(nowMs + LEASE_MS), limit],
  )
  return rows.map(row => Number(row.agent_id))
}

/** Releases an agent whose inspection was aborted: it is due again at once. */
export async function returnAgent(database: Database, agentId: number, nowMs: number): Promise<void> {
  await database.query(
    'return-agent',
    'update agents set next_refresh_at = $2 where agent_id = $1 and next_refresh_at is not null',
    [agentId, new Date(nowMs)],
  )
}

/** Whether an agent could be leased for an inspection on demand. */
export type Taken =
  | { readonly kind: 'taken' }
  /** Another process is inspecting it, or it was inspected less than a minute ago. */
  | { readonly kind: 'too-soon'; readonly retryAfterSeconds: number }
  /** The agent does not exist, its stake was returned, or the operator took it down. */
  | { readonly kind: 'not-inspected' }

/** Leases one agent for an inspection on demand, at most once a minute. */
export async function takeAgent(database: Database, agentId: number, nowMs: number): Promise<Taken> {
  const since = new Date(nowMs - DEMAND_INTERVAL_MS)
  const taken = await database.query(
    'take-agent',
    `update agents set next_refresh_at = $3, looked_at = $2
     where agent_id = $1 and standing not in ('deregistered', 'taken-down')
       and (looked_at is null or looked_at <= $4) returning agent_id`,
    [agentId, new Date(nowMs), new Date(nowMs + LEASE_MS), since],
  )
  if (taken.length > 0) return { kind: 'taken' }
  const [agent] = await database.query<{ looked_at: Date | null }>(
    'read-last-look',
    `select looked_at from agents where agent_id = $1 and standing not in ('deregistered', 'taken-down')`,
    [agentId],
  )
  if (agent === undefined) return { kind: 'not-inspected' }
  const waitMs = (agent.looked_at?.getTime() ?? nowMs) + DEMAND_INTERVAL_MS - nowMs
  return { kind: 'too-soon', retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1_000)) }
}
