import type { Clock } from '@farebox/protocol/time/clock'
import type { Database } from '@farebox/server/internal/postgres/connect'
import { Refusal } from '../http/refusal.ts'
import { inLimitedTime } from './in-limited-time.ts'
import { filterConditions, filterTags, provisionalConditions, type Stage } from './search-conditions.ts'
import type { Search } from './search.ts'
import { fromTables } from './sort-order.ts'
import { createValues } from './sql-values.ts'

/** How many agents match a search. */
export interface Total {
  readonly count: number
  /** There are more: counting ended there. */
  readonly isAtLeast: boolean
}

/** Counts matches beside the search that asks for them, which does not wait. */
export interface MatchCounter {
  /**
   * What was counted in the last minute. Where nothing was, counting begins, unless something else is being counted; it
   * ends at a bound and after a while, so that it costs little however many match.
   *
   * @param stages what matches in any of them matches in the last
   * @returns undefined where it is not known yet, and where counting took too long
   */
  count(search: Search, stages: readonly Stage[]): Total | undefined
}

/** A number that is read as "many". Of all agents there are more, and they are quick to count. */
const MOST_COUNTED = 1_000
const MOST_COUNTED_OF_ALL = 10_000
const COUNT_TIMEOUT_MS = 100
const GOOD_FOR_MS = 60_000
const MOST_KEPT = 1_000

interface Kept {
  readonly total: Total | undefined
  readonly untilMs: number
}

/** Makes a counter with a memory of its own. */
export function createMatchCounter(database: Database, clock: Clock): MatchCounter {
  // The oldest first.
  const kept = new Map<string, Kept>()
  let isCounting = false

  function keep(key: string, total: Total | undefined): void {
    kept.delete(key)
    const [oldest] = kept.keys()
    if (oldest !== undefined && kept.size >= MOST_KEPT) kept.delete(oldest)
    kept.set(key, { total, untilMs: clock.nowMs() + GOOD_FOR_MS })
  }

  async function begin(key: string, question: Question): Promise<void> {
    isCounting = true
    try {
      keep(key, await countInTime(database, question))
    } catch (error) {
      // Whatever else is wrong with the database, the search that asked has told it.
      if (error instanceof Refusal) keep(key, undefined)
    } finally {
      isCounting = false
    }
  }

  return {
    count(search, stages) {
      const question = questionOf(search, stages)
      const key = JSON.stringify([question.sql, question.values.map(String)])
      const known = kept.get(key)
      if (known !== undefined && clock.nowMs() < known.untilMs) return known.total
      if (!isCounting) void begin(key, question)
      return undefined
    },
  }
}

interface Question {
  readonly sql: string
  readonly values: readonly unknown[]
  readonly most: number
}

function questionOf(search: Search, stages: readonly Stage[]): Question {
  const values = createValues()
  const filters = filterConditions(search, values)
  const isOfAll = search.words === undefined && filters.length === 0 && filterTags(search).length === 0
  const most = isOfAll ? MOST_COUNTED_OF_ALL : MOST_COUNTED
  const conditions = [stages.at(-1)?.matches(values) ?? 'true', ...provisionalConditions(search), ...filters]
  // Who stands high first, where provisional agents are not: the index is walked from that end.
  const order = isOfAll ? 'order by entry.standing desc, entry.position desc' : ''
  const sql = `select count(*)::int as count from (
    select from ${fromTables(search, values)} where ${conditions.join(' and ')} ${order} limit ${most + 1}) as matching`
  return { sql, values: values.all, most }
}

async function countInTime(database: Database, { sql, values, most }: Question): Promise<Total> {
  const rows = await inLimitedTime(
    database,
    async client => (await client.query<{ count: number }>(sql, [...values])).rows,
    COUNT_TIMEOUT_MS,
  )
  const count = rows[0]?.count ?? 0
  return { count: Math.min(count, most), isAtLeast: count > most }
}
