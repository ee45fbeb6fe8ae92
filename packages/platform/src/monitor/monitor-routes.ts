import { agentHealth, agentHealthQuery } from '@farebox/platform-api/monitor'
import { z } from 'zod'
import { badgeRoutes } from '../badges/badge-routes.ts'
import { Refusal } from '../http/refusal.ts'
import { defineRoute, type Route } from '../http/route.ts'
import type { PlatformParts } from '../platform-parts.ts'
import { readHealth } from './read-health.ts'
import { ownerWebhookRoutes } from './webhooks/owner-webhook-routes.ts'

/** Health and badge of an agent, for everybody, and the webhooks of its owner. */
export function monitorRoutes(parts: PlatformParts): readonly Route[] {
  return [healthRoute(parts), ...badgeRoutes(parts), ...ownerWebhookRoutes(parts)]
}

function healthRoute({ database, clock }: PlatformParts): Route {
  return defineRoute({
    method: 'GET',
    path: '/v1/agents/:agentId/health',
    summary: 'Whether an agent is alive, its uptime and latency, hour by hour',
    access: 'public',
    params: z.strictObject({ agentId: z.coerce.number().int().positive() }),
    query: agentHealthQuery,
    answers: { 200: { description: 'What the checks found', schema: agentHealth } },
    handle: async ({ params, query }) => {
      const health = await readHealth(database, params.agentId, { days: query.days, nowMs: clock.nowMs() })
      if (health === undefined) throw new Refusal('not_found', `agentId: there is no agent ${params.agentId}`)
      return { body: health }
    },
  })
}
