import { randomUUID } from 'node:crypto'
import { webhookTested, type webhookNotice } from '@farebox/platform-api/monitor'
import { nowSeconds } from '@farebox/protocol/time/clock'
import { z } from 'zod'
import { Refusal } from '../../http/refusal.ts'
import { defineRoute, type Route } from '../../http/route.ts'
import { readOwnAgent } from '../../owners/own-agents.ts'
import type { PlatformParts } from '../../platform-parts.ts'
import { postDelivery } from './send-deliveries.ts'
import { readReceiver } from './webhooks.ts'

/** Each test is a request to a host that the owner chose, so their rate is limited. */
const TESTS_PER_MINUTE = 5

/** Sends a test notice now, signed like every other, and reports whether it was accepted. It is not stored. */
export function testWebhookRoute(parts: PlatformParts): Route {
  const { database, clock } = parts
  return defineRoute({
    method: 'POST',
    path: '/v1/me/agents/:agentId/webhook/test',
    summary: 'Send a signed notice to your webhook now, once',
    access: 'owner',
    params: z.strictObject({ agentId: z.coerce.number().int().positive() }),
    belongsTo: 'agent-owner',
    perMinute: TESTS_PER_MINUTE,
    answers: { 200: { description: 'Whether it was taken', schema: webhookTested } },
    handle: async ({ params: { agentId }, caller }) => {
      const agent = await readOwnAgent(parts, agentId, caller.address)
      const receiver = await readReceiver(database, agentId, caller.address)
      if (receiver === undefined) throw new Refusal('not_found', `agentId: agent ${agentId} has no webhook`)
      const notice: z.infer<typeof webhookNotice> = {
        delivery_id: randomUUID(),
        event: 'agent.test',
        agent_id: agentId,
        name: agent.name,
        consecutive_failures: 0,
        is_offline: agent.isOffline,
        badge: agent.badgeShown,
        at: nowSeconds(clock),
      }
      const delivery = { ...receiver, delivery_id: notice.delivery_id, body: JSON.stringify(notice) }
      const failure = await postDelivery(parts, delivery, new AbortController().signal)
      const { url } = receiver
      return { body: { agent_id: agentId, url, delivered: failure === undefined, failure: failure ?? null } }
    },
  })
}
