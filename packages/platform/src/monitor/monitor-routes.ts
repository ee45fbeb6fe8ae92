import {
  agentHealth,
  agentHealthQuery,
  healthDays,
  healthDaysQuery,
  type HealthDays,
} from '@farebox/platform-api/monitor'
import { z } from 'zod'
import { badgeRoutes } from '../badges/badge-routes.ts'
import { beginOfDays, readDays } from '../agents/checked-days.ts'
import { Refusal } from '../http/refusal.ts'
import { defineRoute, type Route } from '../http/route.ts'
import type { PlatformParts } from '../platform-parts.ts'
import { readHealth } from './read-health.ts'
import { ownerWebhookRoutes } from './webhooks/owner-webhook-routes.ts'

const agentPath = z.strictObject({ agentId: z.coerce.number().int().positive() })

/** The public routes for the health and the badge of an agent, and the routes for the webhooks of its owner. */
export function monitorRoutes(parts: PlatformParts): readonly Route[] {
  return [healthRoute(parts), healthDaysRoute(parts), ...badgeRoutes(parts), ...ownerWebhookRoutes(parts)]
}

function healthRoute({ database, clock }: PlatformParts): Route {
  return defineRoute({
    method: 'GET',
    path: '/v1/agents/:agentId/health',
    summary: 'Availability, uptime and latency of an agent, by hour',
    access: 'public',
    params: agentPath,
    query: agentHealthQuery,
    answers: { 200: { description: 'The results of the checks', schema: agentHealth } },
    handle: async ({ params, query }) => {
      const health = await readHealth(database, params.agentId, { days: query.days, nowMs: clock.nowMs() })
      if (health === undefined) throw noSuchAgent(params.agentId)
      return { body: health }
    },
  })
}

function healthDaysRoute({ database, clock }: PlatformParts): Route {
  return defineRoute({
    method: 'GET',
    path: '/v1/agents/:agentId/health/days',
    summary: 'Health checks passed and offline time of an agent, by day',
    access: 'public',
    params: agentPath,
    query: healthDaysQuery,
    answers: {
      200: { description: 'The results of the checks', schema: healthDays },
      404: { description: 'There is no such agent' },
    },
    handle: async ({ params: { agentId }, query }) => {
      const nowMs = clock.nowMs()
      const fromMs = beginOfDays(query.days, nowMs)
      const days = await readDays(database, agentId, fromMs)
      if (days === undefined) throw noSuchAgent(agentId)
      const body: HealthDays = {
        agent_id: agentId,
        from: fromMs / 1_000,
        to: Math.floor(nowMs / 1_000),
        days: days.map(({ dayMs, ok, failed, offlineSeconds }) => ({
          at: dayMs / 1_000,
          ok,
          failed,
          offline_seconds: offlineSeconds,
        })),
      }
      return { body }
    },
  })
}

function noSuchAgent(agentId: number): Refusal {
  return new Refusal('not_found', `agentId: there is no agent ${agentId}`)
}
