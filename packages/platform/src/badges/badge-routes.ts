import { agentBadge, type AgentBadge } from '@farebox/platform-api/badges'
import { z } from 'zod'
import { Refusal } from '../http/refusal.ts'
import { defineRoute, type Route } from '../http/route.ts'
import type { PlatformParts } from '../platform-parts.ts'
import type { Badge } from '../agents/agent-row.ts'
import { explainBadge, type BadgeInputs } from '../agents/badge.ts'
import { readBadgeInputs } from './read-badge-inputs.ts'

/** The route for an agent's badge and how it was computed (D34). */
export function badgeRoutes(parts: PlatformParts): readonly Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/v1/agents/:agentId/badge',
      summary: "An agent's badge, rule by rule",
      access: 'public',
      params: z.strictObject({ agentId: z.coerce.number().int().positive() }),
      answers: { 200: { description: 'The badge and its computation', schema: agentBadge } },
      handle: async ({ params }) => ({ body: await describeBadge(parts, params.agentId) }),
    }),
  ]
}

async function describeBadge(
  { database, clock, settings }: PlatformParts,
  agentId: number,
): Promise<AgentBadge> {
  const [row] = await database.query<BadgeColumns>(
    'read-badge',
    `select a.badge, a.badge_shown, b.computed_at, b.inputs from agents a left join agent_badges b using (agent_id)
     where a.agent_id = $1 and a.standing in ('listed', 'provisional')`,
    [agentId],
  )
  if (row === undefined) throw new Refusal('not_found', `agentId: there is no agent ${agentId}`)
  // The stored inputs are used, so that the rules match the stored badge.
  const { checkIntervalMs, refreshIntervalMs } = settings
  const options = { nowMs: clock.nowMs(), checkIntervalMs, refreshIntervalMs }
  const inputs = row.inputs ?? (await readBadgeInputs(database, agentId, options))
  if (inputs === undefined) throw new Refusal('not_found', `agentId: there is no agent ${agentId}`)
  return {
    agent_id: agentId,
    badge: row.badge,
    badge_shown: row.badge_shown,
    computed_at: row.computed_at === null ? null : Math.floor(row.computed_at.getTime() / 1_000),
    jobs: {
      paid: inputs.paidJobs,
      failed: inputs.failedJobs,
      left_out: inputs.leftOutJobs ?? 0,
      payers: inputs.payers,
    },
    rules: explainBadge(inputs).map(rule => ({ ...rule, value: rule.value ?? null })),
  }
}

interface BadgeColumns {
  readonly badge: Badge
  readonly badge_shown: Badge
  readonly computed_at: Date | null
  /** Optional properties that were `undefined` are missing, since JSON omits them. */
  readonly inputs: BadgeInputs | null
}
