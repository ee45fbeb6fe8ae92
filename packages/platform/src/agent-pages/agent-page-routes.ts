import { agentPage } from '@farebox/platform-api/agent'
import { failure } from '@farebox/platform-api/errors'
import { z } from 'zod'
import { Refusal } from '../http/refusal.ts'
import { defineRoute, type Route } from '../http/route.ts'
import type { PlatformParts } from '../platform-parts.ts'
import { readAgent } from '../agents/read-agent.ts'
import { agentOpenapi } from './agent-openapi.ts'
import { readAgentPage } from './read-agent-page.ts'

const params = z.strictObject({
  agentId: z.coerce.number().int().positive().max(Number.MAX_SAFE_INTEGER),
})

const NOT_THERE = { description: 'There is no such agent', schema: failure }

/** The page of one agent, and the agent as an OpenAPI document. */
export function agentPageRoutes(parts: PlatformParts): readonly Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/v1/agents/:agentId',
      summary: 'All that is known of one agent',
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
      summary: 'One agent as an OpenAPI 3.1 document, for tools that speak it',
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
