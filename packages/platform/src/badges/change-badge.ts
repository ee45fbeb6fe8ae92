import type pg from 'pg'
import { availabilityOf } from '../agents/availability.ts'
import type { PlatformParts } from '../platform-parts.ts'
import type { Badge } from '../agents/agent-row.ts'
import { indexAgent } from '../listing/index-agent.ts'
import { applyRecounts } from '../tallies/apply-recounts.ts'
import { readTally } from '../tallies/read-tally.ts'
import { earnBadge, explainBadge, shownBadge, type BadgeInputs } from '../agents/badge.ts'
import { readBadgeInputs } from './read-badge-inputs.ts'

/**
 * Computes an agent's badge (D34) and stores the values it was computed from. The agent's row and its search entry are
 * written only when the badge changed. Does nothing when there is no such agent.
 */
export async function recomputeBadge(parts: PlatformParts, agentId: number): Promise<void> {
  const { database, clock, settings } = parts
  const nowMs = clock.nowMs()
  const inputs = await readBadgeInputs(database, agentId, {
    nowMs,
    checkIntervalMs: settings.checkIntervalMs,
    refreshIntervalMs: settings.refreshIntervalMs,
  })
  if (inputs === undefined) return
  const badge = earnBadge(explainBadge(inputs))
  await database.inTransaction(async client => {
    // `agents` is locked before `agent_health`, as everywhere.
    await client.query('select from agents where agent_id = $1 for no key update', [agentId])
    if (await changeBadge(client, agentId, badge)) await indexAgent(client, agentId)
    await keepInputs(client, { agentId, inputs, nowMs })
  })
}

/**
 * Adds the outcomes of an agent's jobs since the last count, and updates its badge and search entry. The uptime is taken
 * from the last computation of the badge. Does nothing while another process has the agent's row locked.
 *
 * @returns the number of outcomes added
 */
export async function recountAgent({ database, clock }: PlatformParts, agentId: number): Promise<number> {
  return await database.inTransaction(async client => {
    const { rowCount } = await client.query(
      'select from agents where agent_id = $1 for no key update skip locked',
      [agentId],
    )
    const outcomes = rowCount === 0 ? 0 : await applyRecounts(client, agentId)
    if (outcomes === 0) return 0
    const known = await client.query<{ inputs: BadgeInputs | null }>(
      'select inputs from agent_badges where agent_id = $1',
      [agentId],
    )
    const [row] = known.rows
    if (row?.inputs) {
      const { paid, failed, paying, leftOut } = await readTally(client, agentId)
      const counts = { paidJobs: paid, failedJobs: failed, payers: paying, leftOutJobs: leftOut }
      const inputs = { ...row.inputs, ...counts }
      await changeBadge(client, agentId, earnBadge(explainBadge(inputs)))
      await keepInputs(client, { agentId, inputs, nowMs: clock.nowMs() })
    }
    await indexAgent(client, agentId)
    return outcomes
  })
}

/** Resolves to whether the badge changed. */
async function changeBadge(client: pg.PoolClient, agentId: number, badge: Badge): Promise<boolean> {
  const { rows } = await client.query<{ failures: number }>(
    'select failures from agent_health where agent_id = $1',
    [agentId],
  )
  const shown = shownBadge(badge, availabilityOf(rows[0]?.failures ?? 0).isWarned)
  const { rowCount } = await client.query(
    `update agents set badge = $2, badge_shown = $3
     where agent_id = $1 and (badge, badge_shown) is distinct from ($2, $3)`,
    [agentId, badge, shown],
  )
  return rowCount !== 0
}

async function keepInputs(
  client: pg.PoolClient,
  kept: { readonly agentId: number; readonly inputs: BadgeInputs; readonly nowMs: number },
): Promise<void> {
  await client.query(
    `insert into agent_badges (agent_id, due_at, computed_at, inputs)
     values ($1, 'infinity', to_timestamp($2::float8 / 1000), $3)
     on conflict (agent_id) do update set computed_at = excluded.computed_at, inputs = excluded.inputs`,
    [kept.agentId, kept.nowMs, JSON.stringify(kept.inputs)],
  )
}
