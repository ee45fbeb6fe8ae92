import type { Clock } from '@farebox/protocol/time/clock'
import type pg from 'pg'
import type { TagGroup } from './search.ts'
import type { Need, Stage } from './search-conditions.ts'

/** How common words and tags are, according to PostgreSQL's statistics. */
export interface Frequencies {
  /**
   * Estimates the number of agents that have all of these words and, of each group, at least one tag. Words and tags
   * that are not among the common ones count as rare.
   */
  estimate(stages: readonly Stage[], tags: readonly TagGroup[]): number
  /** The common words with this beginning, the most common first. */
  beginningWith(beginning: string, most: number): readonly string[]
}

/** Reads the statistics, and reads them again when they are old. */
export interface FrequencySource {
  read(client: pg.PoolClient): Promise<Frequencies>
}

/** The statistics affect only how a search is executed, never its result, so old ones cost nothing but time. */
const GOOD_FOR_MS = 300_000

/** Creates a source that caches the statistics for five minutes. */
export function createFrequencySource(clock: Clock): FrequencySource {
  let known: { readonly frequencies: Frequencies; readonly untilMs: number } | undefined
  return {
    async read(client) {
      if (known !== undefined && clock.nowMs() < known.untilMs) return known.frequencies
      const frequencies = await readFrequencies(client)
      known = { frequencies, untilMs: clock.nowMs() + GOOD_FOR_MS }
      return frequencies
    },
  }
}

async function readFrequencies(client: pg.PoolClient): Promise<Frequencies> {
  const { rows } = await client.query<{
    column: string
    words: string[] | null
    shares: number[] | null
    rows: number
  }>(
    `select attname as column, most_common_elems::text::text[] as words, most_common_elem_freqs as shares,
            greatest(0, reltuples)::float8 as rows
     from pg_stats
     join pg_class on relname = tablename and relnamespace = to_regnamespace(schemaname)
     where schemaname = current_schema() and tablename = 'search_entries'
       and attname in ('name_words', 'capability_words', 'all_words', 'tags')`,
  )
  const columns = new Map(
    rows.map(({ column, words, shares }) => [column, sharesOf(words ?? [], shares ?? [])]),
  )
  const agents = rows[0]?.rows ?? 0
  return {
    estimate(stages, tags) {
      const tagNeeds = tags.map(anyOf => ({ column: 'tags', anyOf }) as const)
      const shares = stages.map(({ needs }) => shareOfAll([...needs, ...tagNeeds], columns))
      return agents * Math.max(0, ...shares)
    },
    beginningWith(beginning, most) {
      return [...(columns.get('all_words') ?? [])]
        .filter(([word]) => word.startsWith(beginning))
        .sort(([, one], [, other]) => other - one)
        .slice(0, most)
        .map(([word]) => word)
    },
  }
}

/** The shares are in the order of the words, followed by a few figures about the shares themselves. */
function sharesOf(words: readonly string[], shares: readonly number[]): ReadonlyMap<string, number> {
  return new Map(words.map((word, index) => [word, shares[index] ?? 0]))
}

function shareOfAll(
  needs: readonly Need[],
  columns: ReadonlyMap<string, ReadonlyMap<string, number>>,
): number {
  return needs.reduce((share, need) => share * shareOf(need, columns.get(need.column) ?? new Map()), 1)
}

function shareOf({ anyOf }: Need, shares: ReadonlyMap<string, number>): number {
  const known = anyOf.map(word => shares.get(word) ?? 0)
  return Math.min(
    1,
    known.reduce((sum, share) => sum + share, 0),
  )
}
