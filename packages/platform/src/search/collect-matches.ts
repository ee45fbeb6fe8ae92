import type pg from 'pg'
import { filterConditions, provisionalConditions, type Stage } from './search-conditions.ts'
import { fromTables, orderOf } from './sort-order.ts'
import type { Place } from './cursor.ts'
import type { Search } from './search.ts'
import { createValues, type Values } from './sql-values.ts'

/** An agent that matches, with its place in the list. */
export interface Found {
  readonly agentId: string
  readonly stage: number
  readonly key: string
  readonly position: string
}

/** The result of collecting matches. */
export type Collected =
  /** All matches were read. `found` holds the first of them after the place, at most as many as requested. */
  | { readonly isWhole: true; readonly found: readonly Found[]; readonly matching: number }
  /** There are more matches than may be read. */
  | { readonly isWhole: false }

/**
 * Finds all matches of one stage, or of all plain ones, through the index of words and tags, and sorts them. This suits
 * rare words. It gives up when more than `most` match, so that its cost is bounded.
 */
export async function collectMatches(
  client: pg.PoolClient,
  search: Search,
  stages: readonly Stage[],
  wanted: { readonly after: Place | undefined; readonly rows: number; readonly most: number },
): Promise<Collected> {
  const values = createValues()
  const cases = stages.map(({ number, matches }) => `when ${matches(values)} then ${number}`)
  const [only] = stages.length === 1 ? stages : []
  const conditions = [
    only === undefined ? stages.at(-1)?.matches(values) : only.matchesFirst(values),
    ...provisionalConditions(search),
    ...filterConditions(search, values),
  ]
  const { after, rows, most } = wanted
  const { key, direction, behind } = orderOf(search)
  const { rows: answers } = await client.query<{ matching: number; found: readonly Found[] }>(
    `with matching as materialized (
       select entry.agent_id, case ${cases.join(' ')} end as stage, ${key} as key, entry.position
       from ${fromTables(search, values)}
       where ${conditions.join(' and ')}
       limit ${most + 1}
     ), page as (
       select * from matching
       where (select count(*) from matching) <= ${most} ${after === undefined ? '' : `and ${isBehind(after, behind, values)}`}
       order by stage, key ${direction}, position ${direction} limit ${rows}
     )
     select (select count(*)::int from matching) as matching,
       (select coalesce(json_agg(json_build_object('agentId', agent_id::text, 'stage', stage, 'key', key::text,
          'position', position::text) order by stage, key ${direction}, position ${direction}), '[]') from page) as found`,
    [...values.all],
  )
  const [answer] = answers
  if (answer === undefined || answer.matching > most) return { isWhole: false }
  return { isWhole: true, found: answer.found, matching: answer.matching }
}

function isBehind({ stage, key, position }: Place, behind: '<' | '>', values: Values): string {
  const number = values.bind(stage, 'int')
  const place = `(${values.bind(key, 'bigint')}, ${values.bind(position, 'bigint')})`
  return `(stage > ${number} or stage = ${number} and (key, position) ${behind} ${place})`
}
