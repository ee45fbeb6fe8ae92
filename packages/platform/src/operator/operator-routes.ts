import { z } from 'zod'
import {
  receiptKeyAfter,
  reportReceived,
  reportRequest,
  reports as reportsShape,
  standingAfter,
  takeDownRequest,
} from '@farebox/platform-api/operator'
import { Refusal } from '../http/refusal.ts'
import { defineRoute, type Route } from '../http/route.ts'
import type { PlatformParts } from '../platform-parts.ts'
import { revokeKey, rotateSigningKey } from '../receipts/platform-keys.ts'
import { restoreAgent, takeDownAgent } from './take-down-agent.ts'
import { listReports, storeReport } from './reports.ts'

const agentId = z.coerce.number().int().positive()
const agentParams = z.strictObject({ agentId })
/** An agent that has deregistered since stays deregistered, but other agents at its endpoint are no longer blocked. */
const standingRestored = standingAfter.extend({
  standing: z
    .enum(['waiting', 'deregistered'])
    .describe('A restored agent is inspected again before it is listed; a deregistered one stays so'),
})
const CURSOR = /^\d{1,15}_[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
/** A JWK thumbprint (RFC 7638) with SHA-256. */
const KEY_ID = /^[\w-]{43}$/
const REPORTS_PER_MINUTE = 5
const REPORTS_PER_PAGE = 100

/**
 * The public route for reporting an agent and, when the settings have an operator token, the routes for the operator.
 */
export function operatorRoutes(parts: PlatformParts): readonly Route[] {
  const report = reportRoute(parts)
  if (parts.settings.operatorToken === undefined) return [report]
  return [
    report,
    listRoute(parts),
    takeDownRoute(parts),
    restoreRoute(parts),
    rotateKeyRoute(parts),
    revokeKeyRoute(parts),
  ]
}

function reportRoute({ database, clock }: PlatformParts): Route {
  return defineRoute({
    method: 'POST',
    path: '/v1/agents/:agentId/reports',
    summary: 'Reports an agent to the operator of this platform',
    access: 'public',
    perMinute: REPORTS_PER_MINUTE,
    params: agentParams,
    body: reportRequest,
    answers: { 202: { description: 'The report was received', schema: reportReceived } },
    handle: async ({ params, body, caller }) => {
      await storeReport(database, params.agentId, body, { caller, nowMs: clock.nowMs() })
      return { status: 202, body: { status: 'received' } }
    },
  })
}

function listRoute({ database }: PlatformParts): Route {
  return defineRoute({
    method: 'GET',
    path: '/v1/operator/reports',
    summary: 'Reports, newest first',
    access: 'operator',
    query: z.strictObject({
      agent_id: agentId.optional(),
      cursor: z.string().regex(CURSOR, 'is none of ours').optional(),
    }),
    answers: { 200: { description: 'A hundred at most', schema: reportsShape } },
    handle: async ({ query }) => {
      const { reports, nextCursor } = await listReports(database, {
        ...(query.agent_id !== undefined && { agentId: query.agent_id }),
        ...(query.cursor !== undefined && { cursor: query.cursor }),
        limit: REPORTS_PER_PAGE,
      })
      return { body: { reports, next_cursor: nextCursor } }
    },
  })
}

function takeDownRoute({ database, clock }: PlatformParts): Route {
  return defineRoute({
    method: 'POST',
    path: '/v1/operator/agents/:agentId/take-down',
    summary: 'Takes an agent down, with a reason that its page shows',
    access: 'operator',
    params: agentParams,
    body: takeDownRequest,
    answers: { 200: { description: 'Hidden; its stake is untouched', schema: standingAfter } },
    handle: async ({ params, body }) => {
      await takeDownAgent(database, params.agentId, { reason: body.reason, nowMs: clock.nowMs() })
      return {
        body: { agent_id: params.agentId, standing: 'taken-down', standing_reason: body.reason },
      }
    },
  })
}

function restoreRoute({ database, clock }: PlatformParts): Route {
  return defineRoute({
    method: 'POST',
    path: '/v1/operator/agents/:agentId/restore',
    summary: 'Lifts the takedown of an agent, and of its endpoint',
    access: 'operator',
    params: agentParams,
    answers: { 200: { description: 'It waits to be looked at, or has left', schema: standingRestored } },
    handle: async ({ params }) => {
      const standing = await restoreAgent(database, params.agentId, clock.nowMs())
      return { body: { agent_id: params.agentId, standing, standing_reason: null } }
    },
  })
}

function rotateKeyRoute({ database, clock }: PlatformParts): Route {
  return defineRoute({
    method: 'POST',
    path: '/v1/operator/receipt-keys/rotate',
    summary: 'Signs receipts with a new key from now on; receipts of the old key stay valid',
    access: 'operator',
    answers: { 200: { description: 'The new key is published', schema: receiptKeyAfter } },
    handle: async () => {
      const { keyId } = await rotateSigningKey(database, clock.nowMs())
      return { body: { key_id: keyId } }
    },
  })
}

function revokeKeyRoute({ database, clock }: PlatformParts): Route {
  return defineRoute({
    method: 'POST',
    path: '/v1/operator/receipt-keys/:keyId/revoke',
    summary: 'Marks a receipt key as compromised: its receipts become invalid and are signed again',
    access: 'operator',
    params: z.strictObject({ keyId: z.string().regex(KEY_ID, 'is no key id: see /.well-known/jwks.json') }),
    answers: { 200: { description: 'The key set says so', schema: receiptKeyAfter } },
    handle: async ({ params }) => {
      const signing = await revokeKey(database, params.keyId, clock.nowMs())
      if (signing === undefined)
        throw new Refusal('not_found', 'keyId: no such key: see /.well-known/jwks.json')
      return { body: { key_id: signing } }
    },
  })
}
