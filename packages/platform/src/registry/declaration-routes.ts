import {
  agentPath,
  declarationHistory,
  declarationHistoryQuery,
  declarationPath,
  pastDeclaration,
  type DeclarationHistory,
  type PastDeclaration,
} from '@farebox/platform-api/registry'
import type { AgentRow } from '../agents/agent-row.ts'
import { readAgent } from '../agents/read-agent.ts'
import { Refusal } from '../http/refusal.ts'
import { defineRoute, type Route } from '../http/route.ts'
import type { PlatformParts } from '../platform-parts.ts'
import { readDeclaration, readHistory } from './declarations/declaration-history.ts'

const DEFAULT_HISTORY = 20

/** The public routes for the history of agents' declarations. */
export function declarationRoutes({ database }: Pick<PlatformParts, 'database'>): readonly Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/v1/agents/:agentId/declarations',
      summary: 'Changes of an agent’s declaration, newest first',
      access: 'public',
      params: agentPath,
      query: declarationHistoryQuery,
      answers: {
        200: { description: 'The newest declarations', schema: declarationHistory },
        404: { description: 'There is no such agent' },
      },
      handle: async ({ params, query }) => ({ body: await tellHistory(database, params.agentId, query) }),
    }),
    defineRoute({
      method: 'GET',
      path: '/v1/agents/:agentId/declarations/:version',
      summary: 'A past declaration of an agent, byte for byte',
      access: 'public',
      params: declarationPath,
      answers: {
        200: { description: 'The declaration', schema: pastDeclaration },
        404: { description: 'There is no such agent, or this declaration is not stored' },
      },
      handle: async ({ params }) => ({ body: await tellDeclaration(database, params) }),
    }),
  ]
}

async function tellHistory(
  database: PlatformParts['database'],
  agentId: number,
  {
    before,
    limit = DEFAULT_HISTORY,
  }: { readonly before?: number | undefined; readonly limit?: number | undefined },
): Promise<DeclarationHistory> {
  const agent = await readShownAgent(database, agentId)
  const history = await readHistory(database, agentId, { before, limit })
  return {
    agent_id: agentId,
    last_read_at: agent.refreshedAtMs === undefined ? null : agent.refreshedAtMs / 1_000,
    problem: agent.inspectionProblem ?? null,
    declarations: history.map(({ version, readAtMs, severity, changes }) => ({
      version,
      read_at: readAtMs / 1_000,
      severity,
      changes: [...changes],
    })),
  }
}

async function tellDeclaration(
  database: PlatformParts['database'],
  { agentId, version }: { readonly agentId: number; readonly version: number },
): Promise<PastDeclaration> {
  await readShownAgent(database, agentId)
  const past = await readDeclaration(database, agentId, version)
  if (past === undefined)
    throw new Refusal('not_found', `version: declaration ${version} of agent ${agentId} is not kept`)
  const { declaration, readAtMs } = past
  return { agent_id: agentId, version, read_at: readAtMs / 1_000, declaration: { ...declaration } }
}

/** Reads an agent; agents that the operator took down are not shown here either. */
async function readShownAgent(database: PlatformParts['database'], agentId: number): Promise<AgentRow> {
  const agent = await readAgent(database, agentId)
  if (agent === undefined || agent.standing === 'taken-down')
    throw new Refusal('not_found', `agent ${agentId} is not listed here`)
  return agent
}
