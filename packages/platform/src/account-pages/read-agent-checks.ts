import type { DashboardAgent } from '@farebox/platform-api/me/owner-dashboard'
import type { Database } from '@farebox/server/internal/postgres/connect'

/** The health check results of one agent. */
export interface AgentChecks {
  readonly failures: number | null
  readonly checked_at: Date | null
  readonly last_ok_at: Date | null
  /** Per hour, the oldest first; hours without a check are left out. */
  readonly hours: DashboardAgent['hours']
}

const NO_CHECKS: AgentChecks = { failures: null, checked_at: null, last_ok_at: null, hours: [] }

const SHOWN_MS = 7 * 86_400_000

/**
 * Reads the checks of several agents for the last seven days. The returned function gives empty values for an agent that
 * was never checked.
 */
export async function readAgentChecks(
  database: Database,
  agentIds: readonly number[],
  nowMs: number,
): Promise<(agentId: number) => AgentChecks> {
  const [states, hours] = await Promise.all([
    database.query<StateRow>('agents-checked', STATES, [agentIds]),
    database.query<HourRow>('agents-hours', HOURS, [agentIds, new Date(nowMs - SHOWN_MS), new Date(nowMs)]),
  ])
  const stateOf = new Map(states.map(row => [row.agent_id, row]))
  const hoursOf = new Map<string, HourRow[]>()
  for (const row of hours) {
    const own = hoursOf.get(row.agent_id)
    if (own === undefined) hoursOf.set(row.agent_id, [row])
    else own.push(row)
  }
  return agentId => ({
    ...(stateOf.get(String(agentId)) ?? NO_CHECKS),
    hours: (hoursOf.get(String(agentId)) ?? []).map(({ hour, ok, failed }) => ({
      at: hour.getTime() / 1_000,
      ok,
      failed,
    })),
  })
}

interface StateRow extends Omit<AgentChecks, 'hours'> {
  readonly agent_id: string
}

interface HourRow {
  readonly agent_id: string
  readonly hour: Date
  readonly ok: number
  readonly failed: number
}

const STATES = 'select agent_id, failures, checked_at, last_ok_at from agent_health where agent_id = any($1)'

/** The current hour is stored in the agent's state row, so it is added to the finished hours. */
const HOURS = `
  select agent_id, hour, ok, failed from (
    select agent_id, hour, ok, failed from agent_hours where agent_id = any($1) and hour > $2 and hour <= $3
    union all
    select agent_id, hour, hour_ok, hour_failed from agent_health
    where agent_id = any($1) and hour > $2 and hour <= $3) as hours
  where ok + failed > 0 order by agent_id, hour`
