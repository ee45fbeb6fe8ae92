import type { Database } from '@farebox/server/internal/postgres/connect'
import type { AgentRow } from '../agents/agent-row.ts'

/** Stored flows that order a capability which the agent offered before and no longer offers. */
export interface LostOrders {
  readonly agentId: number
  readonly capability: string
  /** The number of orders, counted among the first {@link MOST_ORDERS}. */
  readonly flows: number
}

/** The most orders that are read, for all agents of an owner together. */
const MOST_ORDERS = 20_000

/**
 * Finds capabilities of these agents that stored flows order, that the agents once offered, and that they no longer offer.
 */
export async function findLostOrders(
  database: Database,
  agents: readonly AgentRow[],
): Promise<readonly LostOrders[]> {
  const listed = agents.filter(({ standing }) => standing === 'listed')
  const rows = await database.query<{ agent_id: string; capability: string; flows: number }>(
    'overview-orders',
    `select agent_id, capability, count(*)::int as flows
     from (select agent_id, capability from flow_capabilities where agent_id = any($1) limit ${MOST_ORDERS}) as orders
     group by agent_id, capability`,
    [listed.map(({ agentId }) => agentId)],
  )
  const byId = new Map(listed.map(agent => [agent.agentId, agent]))
  const missing = rows
    .map(({ agent_id, ...row }) => ({ agentId: Number(agent_id), ...row }))
    .filter(({ agentId, capability }) => {
      const declared = byId.get(agentId)?.declaration?.capabilities ?? {}
      return !Object.hasOwn(declared, capability)
    })
  return missing.length === 0 ? [] : await onceOffered(database, missing)
}

/**
 * Keeps only capabilities that the agent once declared, since any caller can store a flow that orders something never
 * offered.
 */
async function onceOffered(
  database: Database,
  missing: readonly LostOrders[],
): Promise<readonly LostOrders[]> {
  const rows = await database.query<{ place: number }>(
    'overview-once-offered',
    `select place::int from unnest($1::bigint[], $2::text[]) with ordinality as missing (id, name, place)
     where exists (select from agent_declarations
       where agent_id = id and declaration -> 'capabilities' -> name is not null)
     order by place`,
    [missing.map(({ agentId }) => agentId), missing.map(({ capability }) => capability)],
  )
  return rows.flatMap(({ place }) => missing[place - 1] ?? [])
}
