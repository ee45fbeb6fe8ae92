import type { Database } from '@farebox/server/internal/postgres/connect'
import type pg from 'pg'
import type { ListingStatus } from './agent-row.ts'

type Queries = Pick<pg.PoolClient, 'query'>

/** Where somebody's turn may have come. */
interface Vacancy {
  readonly endpoint: string | undefined
  readonly nowMs: number
}

/** Has whoever is refused or provisional at an endpoint inspected at once: the agent that had it has given it up. */
export async function inspectCompetitorsSoon(
  queries: Queries,
  vacancy: Vacancy & { readonly exceptAgentId: number },
): Promise<void> {
  await inspectSoon(queries, { ...vacancy, standings: ['refused', 'provisional'] })
}

/** Has whoever is refused at an endpoint, and owns the wallet that the agent there pays now, inspected at once. */
export async function inspectOwnersSoon(
  queries: Queries,
  vacancy: Vacancy & { readonly exceptAgentId: number; readonly owner: string },
): Promise<void> {
  await inspectSoon(queries, { ...vacancy, standings: ['refused'] })
}

/** Each is one more inspection at the same host. */
const MAX_REFUSED_INSPECTED = 10

/**
 * Has those inspected at once that were refused at an endpoint and may have it after all: the owner's own; where nobody
 * knows who that is, the earliest. After an hour they are not inspected by themselves any more.
 */
export async function inspectRefusedSoon(
  queries: Queries,
  vacancy: Vacancy & { readonly owner: string | undefined },
): Promise<void> {
  await inspectSoon(queries, { ...vacancy, standings: ['refused'], limit: MAX_REFUSED_INSPECTED })
}

/** Has declarations read soon rather than tomorrow. */
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

/** As if they had just been registered: at once, and often if that fails. */
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
