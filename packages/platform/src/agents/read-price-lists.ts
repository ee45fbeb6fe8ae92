import type { Database } from '@farebox/server/internal/postgres/connect'
import type { PriceList } from './price-rises.ts'

/** The most price lists that are read; older changes in the period are not reported. */
const MOST_LISTS = 20

/** The prices of an agent since `fromMs`: the oldest first, starting with the prices in force at that time. */
export async function readPriceLists(
  database: Database,
  agentId: number,
  fromMs: number,
): Promise<readonly PriceList[]> {
  const rows = await database.query<{ read_at: Date; prices: { [capability: string]: string } | null }>(
    'agent-price-lists',
    `select read_at, (select json_object_agg(key, value -> 'pricing' ->> 'amount')
                      from json_each(declaration -> 'capabilities')) as prices
     from agent_declarations
     where agent_id = $1 and version >= coalesce(
       (select max(version) from agent_declarations where agent_id = $1 and read_at <= to_timestamp($2 / 1000.0)), 0)
     order by version desc limit ${MOST_LISTS}`,
    [agentId, fromMs],
  )
  return rows
    .map(({ read_at, prices }) => ({ readAtMs: read_at.getTime(), prices: prices ?? {} }))
    .toReversed()
}
