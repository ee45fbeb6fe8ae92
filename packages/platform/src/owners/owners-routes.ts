import { z } from 'zod'
import type { ownedAgent } from '@farebox/platform-api/owners'
import { chosenCategory, dashboard, dashboardQuery, me, ownedAgents } from '@farebox/platform-api/owners'
import { defineRoute, type Route } from '../http/route.ts'
import { Refusal } from '../http/refusal.ts'
import type { PlatformParts } from '../platform-parts.ts'
import { chooseCategory } from '../listing/choose-category.ts'
import type { AgentRow } from '../agents/agent-row.ts'
import { browserSignInRoutes } from './browser/browser-sign-in-routes.ts'
import { countOwnAgents, listOwnAgents, noSuchAgent, readOwnAgent } from './own-agents.ts'
import { readDashboard } from './read-dashboard.ts'
import { secretsRoutes } from './secrets-routes.ts'
import { settlementLimitRoute } from './settlements/settlement-limit-route.ts'
import { listSessions } from './sessions.ts'
import { describeSession, sessionsRoutes } from './sessions-routes.ts'

const agentParams = z.strictObject({ agentId: z.coerce.number().int().positive() })
const AGENTS_PER_PAGE = 100

/** The routes for owners: signing in, their agents, and their secrets. */
export function ownersRoutes(parts: PlatformParts): readonly Route[] {
  return [
    ...sessionsRoutes(parts),
    ...browserSignInRoutes(parts),
    meRoute(parts),
    ...agentsRoutes(parts),
    ...secretsRoutes(parts),
    settlementLimitRoute(parts),
  ]
}

function meRoute({ database, clock }: PlatformParts): Route {
  return defineRoute({
    method: 'GET',
    path: '/v1/me',
    summary: 'Who you are signed in as',
    access: 'owner',
    answers: { 200: { description: 'The address that is signed in', schema: me } },
    handle: async ({ caller }) => {
      const { address, sessionId } = caller
      const [live, agents] = await Promise.all([
        listSessions(database, address, clock.nowMs()),
        countOwnAgents(database, address),
      ])
      const session = live.find(one => one.sessionId === sessionId)
      // The session was ended by another request after this one was authenticated.
      if (session === undefined) throw new Refusal('unauthorized', 'the session has ended')
      return { body: { address, session: describeSession(session), agents } }
    },
  })
}

function agentsRoutes(parts: PlatformParts): readonly Route[] {
  const { database, clock } = parts
  return [
    defineRoute({
      method: 'GET',
      path: '/v1/me/agents',
      summary: 'Your agents, whatever their listing status',
      access: 'owner',
      query: z.strictObject({
        cursor: z
          .string()
          .regex(/^[1-9]\d{0,14}$/, 'is none of ours')
          .optional(),
      }),
      answers: { 200: { description: 'A hundred at most', schema: ownedAgents } },
      handle: async ({ query, caller }) => {
        const afterAgentId = Number(query.cursor ?? 0)
        const found = await listOwnAgents(database, caller.address, {
          afterAgentId,
          limit: AGENTS_PER_PAGE + 1,
        })
        const page = found.slice(0, AGENTS_PER_PAGE)
        const last = found.length > AGENTS_PER_PAGE ? page.at(-1) : undefined
        return { body: { agents: page.map(describeAgent), next_cursor: last ? String(last.agentId) : null } }
      },
    }),
    categoryRoute(parts),
    defineRoute({
      method: 'GET',
      path: '/v1/me/agents/:agentId/dashboard',
      summary: 'Jobs, earnings and health of one of your agents',
      access: 'owner',
      params: agentParams,
      query: dashboardQuery,
      belongsTo: 'agent-owner',
      answers: { 200: { description: 'The last days', schema: dashboard } },
      handle: async ({ params, query, caller }) => {
        const { agentId } = await readOwnAgent(parts, params.agentId, caller.address)
        return { body: await readDashboard(database, agentId, { days: query.days, nowMs: clock.nowMs() }) }
      },
    }),
  ]
}

function categoryRoute({ database }: PlatformParts): Route {
  return defineRoute({
    method: 'PUT',
    path: '/v1/me/agents/:agentId/category',
    summary: 'Sets the category of one of your agents',
    access: 'owner',
    params: agentParams,
    body: chosenCategory,
    belongsTo: 'agent-owner',
    answers: { 200: { description: 'As it is now', schema: chosenCategory } },
    handle: async ({ params, body, caller }) => {
      const { agentId } = params
      if (!(await chooseCategory(database, { agentId, owner: caller.address }, body.category)))
        throw noSuchAgent(agentId)
      return { body }
    },
  })
}

function describeAgent(agent: AgentRow): z.infer<typeof ownedAgent> {
  return {
    agent_id: agent.agentId,
    name: agent.name,
    endpoint: agent.endpoint ?? null,
    standing: agent.standing,
    standing_reason: agent.standingReason ?? null,
    is_offline: agent.isOffline,
    badge: agent.badgeShown,
    category: agent.category ?? null,
    wallet: agent.wallet ?? null,
    wallet_proven: agent.wallet !== undefined && agent.wallet === agent.provenWallet,
    registered_at: Math.floor(agent.registeredAtMs / 1_000),
  }
}
