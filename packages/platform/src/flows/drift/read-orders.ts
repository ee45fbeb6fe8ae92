import type { Database } from '@farebox/server/internal/postgres/connect'

/** Limits: the flows that are counted, the flows that are checked, and the characters of all checked flows. */
const MOST_COUNTED = 10_000
const MOST_CHECKED = 500
const MOST_CHARACTERS_CHECKED = 16_000_000
/** The most characters in one check. */
const CHARACTERS_A_TURN = 1_000_000

/** The number of flows that order from an agent. */
export interface AgentOrders {
  readonly flows: number
  /** In the order of capability names. */
  readonly capabilities: readonly { readonly capability: string; readonly flows: number }[]
}

/** Counts the flows that order from an agent, in total and by capability. */
export async function countOrders(database: Database, agentId: number): Promise<AgentOrders> {
  const rows = await database.query<{ capability: string | null; flows: number }>(
    'count-orders-of-agent',
    `select capability, least(count(distinct flow_id), ${MOST_COUNTED})::int as flows
     from (select flow_id, capability from flow_capabilities where agent_id = $1 limit ${4 * MOST_COUNTED}) as orders
     group by grouping sets ((), (capability)) order by capability nulls first`,
    [agentId],
  )
  return {
    flows: rows.find(({ capability }) => capability === null)?.flows ?? 0,
    capabilities: rows.flatMap(({ capability, flows }) =>
      capability === null ? [] : [{ capability, flows }],
    ),
  }
}

/**
 * Yields the documents of flows that order one of these capabilities, in portions. Above the limit they are a sample: the
 * flows with the lowest ids, which are random.
 */
export async function* readSomeDocuments(
  database: Database,
  agentId: number,
  capabilities: readonly string[],
): AsyncGenerator<readonly string[]> {
  if (capabilities.length === 0) return
  const flows = await database.query<{ flow_id: string; bytes: number }>('flows-of-agent', FIND, [
    agentId,
    capabilities,
    MOST_CHECKED,
    MOST_CHARACTERS_CHECKED,
  ])
  let turn: string[] = []
  let bytes = 0
  for (const flow of flows) {
    if (turn.length > 0 && bytes + flow.bytes > CHARACTERS_A_TURN) {
      yield await readDocuments(database, turn)
      turn = []
      bytes = 0
    }
    turn.push(flow.flow_id)
    bytes += flow.bytes
  }
  if (turn.length > 0) yield await readDocuments(database, turn)
}

const FIND = `
  select flow_id, bytes from (
    select flow_id, flow_versions.bytes, sum(flow_versions.bytes) over (order by flow_id) as bytes_so_far
    from (select distinct flow_id
          from unnest($2::text[]) as wanted (name) cross join lateral (
            select flow_id from flow_capabilities where agent_id = $1 and capability = name
            order by flow_id limit $3) as of_one
          order by flow_id limit $3) as ordering
    join flows using (flow_id) join flow_versions using (flow_id, version)
  ) as sized
  where bytes_so_far <= $4 order by flow_id`

async function readDocuments(database: Database, flowIds: readonly string[]): Promise<readonly string[]> {
  const rows = await database.query<{ document: string }>(
    'documents-of-flows',
    `select document::text as document from flows join flow_versions using (flow_id, version)
     where flow_id = any($1::uuid[])`,
    [flowIds],
  )
  return rows.map(({ document }) => document)
}
