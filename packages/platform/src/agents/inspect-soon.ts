import type { Database } from '@farebox/server/internal/postgres/connect'
import type pg from 'pg'
import type { ListingStatus } from './agent-row.ts'

type Queries = Pick<pg.PoolClient, 'query'>

/** An endpoint that may have become available to another agent. */
interface Vacancy {
  readonly endpoint: string | undefined
  readonly nowMs: number
}

/**
 * Makes the refused and provisional agents at an endpoint due for inspection now, because the agent that had the endpoint
 * gave it up.
 */
export async function inspectCompetitorsSoon(
  queries: Queries,
  vacancy: Vacancy & { readonly exceptAgentId: number },
): Promise<void> {
  await inspectSoon(queries, { ...vacancy, standings: ['refused', 'provisional'] })
}

/**
 * Makes agents due for inspection now that were refused at an endpoint and whose owner is the wallet that the agent there
 * now declares.
 */
export async function inspectOwnersSoon(
  queries: Queries,
  vacancy: Vacancy & { readonly exceptAgentId: number; readonly owner: string },
): Promise<void> {
  await inspectSoon(queries, { ...vacancy, standings: ['refused'] })
}

/** A limit, because each inspection is another request to the same host. */
const MAX_REFUSED_INSPECTED = 10

/**
 * Makes agents due for inspection now that were refused at an endpoint and may be entitled to it: those of the given owner,
 * or the earliest ones when the owner is unknown. After an hour they are no longer inspected automatically.
 */
export async function inspectRefusedSoon(
  queries: Queries,
  vacancy: Vacancy & { readonly owner: string | undefined },
): Promise<void> {
  await inspectSoon(queries, { ...vacancy, standings: ['refused'], limit: MAX_REFUSED_INSPECTED })
}

/** Makes the declarations of these agents due for reading now instead of within a day. */
export async function refreshSoon(database: Database, agentIds: readonly number[]): Promise<void> {
  if (agentIds.length === 0) return
  await database.query(
    'refresh-soon',
    `update agents set next_refresh_at = least(next_refresh_at, now()) where agent_id in (
       select agent_id from agents where agent_id = any($1::bigint[]) and next_refresh_at is not null
       order by agent_id for no key update)`,
    [agentIds],
  )
}

interface InspectedSoon extends Vacancy {
  readonly standings: readonly ListingStatus[]
  readonly exceptAgentId?: number
  readonly owner?: string | undefined
  readonly limit?: number
}

/** Resets the inspection schedule to that of a newly registered agent: at once, with frequent retries. */
async function inspectSoon(
  queries: Queries,
  { endpoint, nowMs, standings, exceptAgentId, owner, limit }: InspectedSoon,
): Promise<void> {
  if (endpoint === undefined) return
  await queries.query(
    `update agents set next_refresh_at = $2, look_since = $2, look_failures = 0 where agent_id in (
       select agent_id from agents
       where endpoint = $1 and standing = any($3::text[]) and agent_id is distinct from $4::bigint
         and ($5::text is null or owner = $5)
       order by agent_id limit $6 for update)`,
    [endpoint, new Date(nowMs), standings, exceptAgentId ?? null, owner ?? null, limit ?? null],
  )
}
