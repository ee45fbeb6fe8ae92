import { agentAt, agentAtQuery, agentPage } from '@farebox/platform-api/agent'
import { failure } from '@farebox/platform-api/errors'
import { z } from 'zod'
import { Refusal } from '../http/refusal.ts'
import { defineRoute, type Route } from '../http/route.ts'
import type { PlatformParts } from '../platform-parts.ts'
import { readAgent } from '../agents/read-agent.ts'
import { agentOpenapi } from './agent-openapi.ts'
import { findListedAt } from './find-listed-at.ts'
import { readAgentPage } from './read-agent-page.ts'

const params = z.strictObject({
  agentId: z.coerce.number().int().positive().max(Number.MAX_SAFE_INTEGER),
})

const NOT_THERE = { description: 'There is no such agent', schema: failure }

/** The routes for one agent's page, its OpenAPI document, and the lookup of a listed agent by endpoint. */
export function agentPageRoutes(parts: PlatformParts): readonly Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/v1/agents/at',
      summary: 'The agent that is listed with an endpoint',
      access: 'public',
      query: agentAtQuery,
      answers: {
        200: { description: 'The agent', schema: agentAt },
        400: { description: 'No agent can have this endpoint', schema: failure },
        404: { description: 'No agent is listed with it', schema: failure },
      },
      async handle({ query }) {
        const verdict = parts.outbound.judge(query.endpoint)
        if (!verdict.ok) throw new Refusal('validation', `endpoint: ${verdict.reason}`)
        const found = await findListedAt(parts.database, verdict.url)
        if (found === undefined) throw new Refusal('not_found', 'endpoint: no agent is listed with it')
        return { body: found }
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/v1/agents/:agentId',
      summary: 'One agent in full',
      access: 'public',
      params,
      answers: { 200: { description: 'The agent', schema: agentPage }, 404: NOT_THERE },
      async handle({ params }) {
        const page = await readAgentPage(parts, params.agentId)
        if (page === undefined) throw refuse(params.agentId)
        return { body: page }
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/v1/agents/:agentId/openapi.json',
      summary: 'One agent as an OpenAPI 3.1 document',
      access: 'public',
      params,
      answers: {
        200: { description: 'The document', schema: z.record(z.string(), z.unknown()) },
        404: { description: 'There is no such agent, or it shows no declaration', schema: failure },
      },
      async handle({ params }) {
        const agent = await readAgent(parts.database, params.agentId)
        const document = agent && agentOpenapi(agent)
        if (document === undefined) throw refuse(params.agentId)
        return { body: document }
      },
    }),
  ]
}

function refuse(agentId: number): Refusal {
  return new Refusal('not_found', `there is no agent ${agentId} to be shown here`)
}
