import type pg from 'pg'
import { filterConditions, offeredTags, provisionalConditions, type Stage } from './search-conditions.ts'
import { tagHash } from '../listing/describe-entry.ts'
import type { Place } from './cursor.ts'
import type { Found } from './collect-matches.ts'
import { fromTables, orderOf } from './sort-order.ts'
import type { Search } from './search.ts'
import { createValues, type Values } from './sql-values.ts'

/** Where a scan begins, and how many matches it needs. */
interface Wanted {
  readonly after: Place | undefined
  readonly rows: number
}

/**
 * The maximum number of rows to read: in an index that contains all conditions, and when each row is read from its
 * table.
 */
const MOST_IN_INDEX = 35_000
const MOST_IN_TABLE = 4_000

/**
 * Scans all agents in the requested order and keeps those that match, until there are enough. This suits common words.
 * The number of rows read is limited, so that the cost is bounded; fewer results than requested may therefore be all
 * matches or not.
 */
export async function scanInOrder(
  client: pg.PoolClient,
  search: Search,
  stage: Stage,
  wanted: Wanted,
): Promise<readonly Found[]> {
  const values = createValues()
  const { direction } = orderOf(search)
  const { seen, checks } = stage.isInOrder
    ? seenByName(search, stage, wanted, values)
    : isScannedInIndex(search)
      ? seenInIndex(search, stage, wanted.after, values)
      : seenInTable(search, stage, wanted.after, values)
  // PostgreSQL does not flatten a subquery with a limit: rows arrive in order, and each is checked by its agent number.
  const checked =
    checks.length === 0
      ? ''
      : `cross join lateral (select from ${fromTables(search, values)}
           where entry.agent_id = seen.agent_id and ${checks.join(' and ')} limit 1) as checked`
  const { rows } = await client.query<Omit<Found, 'stage'>>(
    `select seen.agent_id::text as "agentId", seen.key::text as key, seen.position::text as position
     from (${seen}) as seen ${checked}
     order by seen.key ${direction}, seen.position ${direction} limit ${wanted.rows}`,
    [...values.all],
  )
  return rows.map(row => ({ ...row, stage: stage.number }))
}

/** The last row that a scan from this place reads; undefined when the scan reached the end before its limit. */
export async function endOfScan(
  client: pg.PoolClient,
  search: Search,
  stage: Stage,
  after: Place | undefined,
): Promise<Place | undefined> {
  const values = createValues()
  const table = isByOffer(search) ? 'offer' : 'entry'
  const { rows } = await client.query<{ key: string; position: string }>(
    `select last.key::text as key, last.position::text as position
     from (${rowsInOrder(search, stage, { after, columns: `${table}.position` }, values)}
           offset ${(stage.isInOrder ? MOST_IN_TABLE : mostSeen(search)) - 1} limit 1) as last`,
    [...values.all],
  )
  const [last] = rows
  return last && { stage: stage.number, key: last.key, position: last.position, readings: null }
}

/** Whether the scanned index contains all conditions, so that the table is not read for each row. */
export function isScannedInIndex(search: Search): boolean {
  const isTold = search.words !== undefined || offeredTags(search).length > 0
  return isByRank(search) && (isTold || filterConditions(search, createValues()).length === 0)
}

interface Seen {
  /** SQL for the rows in order, with the columns `agent_id`, `key`, `position`. */
  readonly seen: string
  /** The conditions on `entry` and `offer` that must still be checked. */
  readonly checks: readonly string[]
}

function mostSeen(search: Search): number {
  return isScannedInIndex(search) ? MOST_IN_INDEX : MOST_IN_TABLE
}

function isByRank({ sort }: Search): boolean {
  return sort === 'relevance' || sort === 'badge'
}

/** Scans the index of names, which is in order: without further conditions, no more rows are read than requested. */
function seenByName(search: Search, stage: Stage, { after, rows }: Wanted, values: Values): Seen {
  const checks = filterConditions(search, values)
  const seen = rowsInOrder(search, stage, { after, columns: 'entry.agent_id, entry.position' }, values)
  return { seen: `${seen} limit ${checks.length === 0 ? rows : MOST_IN_TABLE}`, checks }
}

/** Scans the index by standing, which contains the words: rows without them are skipped without reading the table. */
function seenInIndex(search: Search, stage: Stage, after: Place | undefined, values: Values): Seen {
  const inOrder = rowsInOrder(search, stage, { after, columns: INDEXED }, values)
  const conditions = [
    ...provisionalConditions(search),
    stage.matchesFirst(values),
    ...hashConditions(search, values),
  ]
  return {
    seen: `select entry.agent_id, entry.key, entry.position from (${inOrder} limit ${mostSeen(search)}) as entry
      where ${conditions.join(' and ')}`,
    checks: filterConditions(search, values),
  }
}

const INDEXED = 'agent_id is_provisional name_key name_words capability_words all_words tag_hashes position'
  .split(' ')
  .map(column => `entry.${column}`)
  .join(', ')

/** Hashes may collide, so a matching row may still lack the tags; the check that follows decides. */
function hashConditions(search: Search, values: Values): readonly string[] {
  return offeredTags(search).map(group => {
    const hashes = values.bind(group.map(tagHash), 'integer[]')
    return `(entry.tag_hashes is null or entry.tag_hashes && ${hashes})`
  })
}

function seenInTable(search: Search, stage: Stage, after: Place | undefined, values: Values): Seen {
  const table = isByOffer(search) ? 'offer' : 'entry'
  return {
    seen: `${rowsInOrder(search, stage, { after, columns: `${table}.agent_id, ${table}.position` }, values)}
      limit ${mostSeen(search)}`,
    checks: [
      stage.matchesFirst(values),
      ...provisionalConditions(search),
      ...filterConditions(search, values),
    ],
  }
}

function isByOffer({ sort, capabilityKey }: Search): boolean {
  return sort === 'price' && capabilityKey !== undefined
}

function rowsInOrder(
  search: Search,
  stage: Stage,
  { after, columns }: { readonly after: Place | undefined; readonly columns: string },
  values: Values,
): string {
  const { key, direction, behind } = orderOf(search)
  const table = isByOffer(search) ? 'offer' : 'entry'
  const conditions = [
    ...(stage.isInOrder ? [stage.matches(values), ...provisionalConditions(search)] : []),
    ...(isByOffer(search) ? [`offer.capability_key = ${values.bind(search.capabilityKey, 'text')}`] : []),
    ...(isByRank(search) && search.leastStanding !== undefined
      ? [`entry.standing >= ${values.bind(search.leastStanding, 'integer')}`]
      : []),
    ...(after === undefined
      ? []
      : [
          `(${key}, ${table}.position) ${behind} (${values.bind(after.key, 'bigint')}, ${values.bind(after.position, 'bigint')})`,
        ]),
  ]
  return `select ${columns}, ${key} as key from ${table === 'offer' ? 'search_capabilities' : 'search_entries'} ${table}
    ${conditions.length === 0 ? '' : `where ${conditions.join(' and ')}`}
    order by ${key} ${direction}, ${table}.position ${direction}`
}
