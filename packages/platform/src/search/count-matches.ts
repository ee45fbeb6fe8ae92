import type { Clock } from '@farebox/protocol/time/clock'
import type { Database } from '@farebox/server/internal/postgres/connect'
import { Refusal } from '../http/refusal.ts'
import { inLimitedTime } from './in-limited-time.ts'
import { filterConditions, filterTags, provisionalConditions, type Stage } from './search-conditions.ts'
import type { Search } from './search.ts'
import { fromTables } from './sort-order.ts'
import { createValues } from './sql-values.ts'

/** The number of agents that match a search. */
export interface Total {
  readonly count: number
  /** Whether counting stopped at the limit, so that there may be more. */
  readonly isAtLeast: boolean
}

/** Counts matches in the background; the search that asks does not wait for the result. */
export interface MatchCounter {
  /**
   * Returns the count of the last minute. When there is none, counting starts, unless another count is running.
   * Counting stops at a limit and after a timeout, so that its cost is low however many agents match.
   *
   * @param stages - in order; a match of any stage also matches the last one
   * @returns undefined when the count is not known yet, or counting took too long
   */
  count(search: Search, stages: readonly Stage[]): Total | undefined
}

/**
 * The maximum count; a larger number is displayed as "many". The limit for all agents is higher, because counting them
 * is fast.
 */
const MOST_COUNTED = 1_000
const MOST_COUNTED_OF_ALL = 10_000
const COUNT_TIMEOUT_MS = 100
const GOOD_FOR_MS = 60_000
const MOST_KEPT = 1_000

interface Kept {
  readonly total: Total | undefined
  readonly untilMs: number
}

/** Creates a counter with its own cache. */
export function createMatchCounter(database: Database, clock: Clock): MatchCounter {
  // The oldest entry first.
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
      // Other database errors are reported by the search that asked for the count.
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
  // Counting starts with agents of high standing, which are never provisional, because the index is read from that end.
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
