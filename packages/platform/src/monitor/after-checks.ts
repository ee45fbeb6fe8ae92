import type { Database } from '@farebox/server/internal/postgres/connect'

/**
 * Resets the first failure of agents that passed their previous check, because the platform's own outage caused it.
 * Agents that have failed again or passed a check since then are left unchanged.
 */
export async function forgiveFailures(database: Database, agentIds: readonly number[]): Promise<void> {
  if (agentIds.length === 0) return
  await database.query(
    'forgive-failures',
    `update agent_health set failures = 0, hour_failed = greatest(0, hour_failed - 1), last_reason = null
     where agent_id = any($1::bigint[]) and failures = 1`,
    [agentIds],
  )
}

/** Makes the badges of these agents due now instead of tomorrow: the agents have passed a check for the first time. */
export async function hastenBadges(database: Database, agentIds: readonly number[]): Promise<void> {
  if (agentIds.length === 0) return
  await database.query(
    'hasten-badges',
    `update agent_badges set due_at = least(due_at, now()) where agent_id = any($1::bigint[]) and due_at < 'infinity'`,
    [agentIds],
  )
}

/**
 * Reschedules checks whose due time is later than any plan allows. This happens when a clock was in the future while
 * they were planned (HLT-08), or when the interval was longer. The new due times are spread over one interval.
 */
export async function bringBackChecks(database: Database, checkIntervalMs: number): Promise<void> {
  await database.query(
    'bring-back-checks',
    `update agent_health set planned_at = null, due_at = now() + random() * $1::float8 * interval '1 millisecond'
     where agent_id in (
       select agent_id from agent_health
       where due_at > now() + (2 * $1::float8 + $2::float8) * interval '1 millisecond' and due_at < 'infinity'
       limit 10000 for update skip locked)`,
    [checkIntervalMs, BEYOND_ANY_PLAN_MS],
  )
}

/** Longer than any lease, in milliseconds. */
const BEYOND_ANY_PLAN_MS = 300_000
