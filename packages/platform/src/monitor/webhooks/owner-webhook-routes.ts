import { webhook as webhookSchema, webhookMade, webhookRequest } from '@farebox/platform-api/monitor'
import { z } from 'zod'
import { Refusal } from '../../http/refusal.ts'
import { defineRoute, type Route } from '../../http/route.ts'
import { judgeTarget } from '../../outbound/address/judge-url.ts'
import { readOwnAgent } from '../../owners/own-agents.ts'
import type { PlatformParts } from '../../platform-parts.ts'
import { testWebhookRoute } from './webhook-test-route.ts'
import { deleteWebhook, readWebhook, setWebhook, type Webhook } from './webhooks.ts'

const PATH = '/v1/me/agents/:agentId/webhook'
const params = z.strictObject({ agentId: z.coerce.number().int().positive() })

/** The routes for the webhook that notifies an owner when an agent of theirs is warned, offline or back. */
export function ownerWebhookRoutes(parts: PlatformParts): readonly Route[] {
  return [readRoute(parts), setRoute(parts), testWebhookRoute(parts), deleteRoute(parts)]
}

function readRoute(parts: PlatformParts): Route {
  return defineRoute({
    method: 'GET',
    path: PATH,
    summary: 'The webhook of one of your agents, and the result of its latest delivery',
    access: 'owner',
    params,
    belongsTo: 'agent-owner',
    answers: { 200: { description: 'The webhook, without its secret', schema: webhookSchema } },
    handle: async ({ params: { agentId }, caller }) => {
      await readOwnAgent(parts, agentId, caller.address)
      const found = await readWebhook(parts.database, agentId, caller.address)
      if (found === undefined) throw new Refusal('not_found', `agentId: agent ${agentId} has no webhook`)
      return { body: describeWebhook(agentId, found) }
    },
  })
}

function setRoute(parts: PlatformParts): Route {
  return defineRoute({
    method: 'PUT',
    path: PATH,
    summary: 'Sets the webhook of one of your agents, and creates a new secret for it',
    access: 'owner',
    params,
    body: webhookRequest,
    belongsTo: 'agent-owner',
    perMinute: 10,
    answers: { 200: { description: 'The webhook and, this once, its secret', schema: webhookMade } },
    handle: async ({ params: { agentId }, body: { url }, caller }) => {
      await readOwnAgent(parts, agentId, caller.address)
      const verdict = judgeTarget(url, { localMode: parts.settings.localMode })
      if (!verdict.ok) throw new Refusal('validation', verdict.reason)
      const nowMs = parts.clock.nowMs()
      const secret = await setWebhook(parts.database, agentId, { owner: caller.address, url, nowMs })
      return { headers: { 'cache-control': 'no-store' }, body: { agent_id: agentId, url, secret } }
    },
  })
}

function deleteRoute(parts: PlatformParts): Route {
  return defineRoute({
    method: 'DELETE',
    path: PATH,
    summary: 'Deletes the webhook of one of your agents',
    access: 'owner',
    params,
    belongsTo: 'agent-owner',
    answers: { 204: { description: 'The webhook and its pending deliveries are deleted' } },
    handle: async ({ params: { agentId }, caller }) => {
      await readOwnAgent(parts, agentId, caller.address)
      const existed = await deleteWebhook(parts.database, agentId, caller.address)
      if (!existed) throw new Refusal('not_found', `agentId: agent ${agentId} has no webhook`)
      return { status: 204 }
    },
  })
}

function describeWebhook(
  agentId: number,
  { url, createdAtMs, lastDelivery }: Webhook,
): z.infer<typeof webhookSchema> {
  return {
    agent_id: agentId,
    url,
    created_at: Math.floor(createdAtMs / 1_000),
    last_delivery:
      lastDelivery === undefined
        ? null
        : {
            event: lastDelivery.event,
            state: lastDelivery.state,
            created_at: Math.floor(lastDelivery.createdAtMs / 1_000),
            delivered_at:
              lastDelivery.deliveredAtMs === undefined
                ? null
                : Math.floor(lastDelivery.deliveredAtMs / 1_000),
            attempts: lastDelivery.attempts,
            failure: lastDelivery.failure ?? null,
          },
  }
}
