import type { Database } from '@farebox/server/internal/postgres/connect'
import type pg from 'pg'
import { filterTags, plainStages, similarStage, stageNumber, type Stage } from './search-conditions.ts'
import type { Place } from './cursor.ts'
import { completionsOf } from './words/word-completions.ts'
import type { Frequencies, FrequencySource } from './frequencies.ts'
import { collectMatches, type Found } from './collect-matches.ts'
import type { MatchCounter, Total } from './count-matches.ts'
import { inLimitedTime } from './in-limited-time.ts'
import type { Search } from './search.ts'
import { similarWords } from './words/similar-words.ts'
import { endOfScan, isScannedInIndex, scanInOrder } from './scan-in-order.ts'

/** A page of agents by number, in order. */
export interface FoundPage {
  readonly found: readonly Found[]
  /** Where the next page begins; undefined on the last page. */
  readonly next: Place | undefined
  /**
   * The number of matches on all pages, as known at the time of the call. Undefined when it is not known, and on all
   * pages but the first.
   */
  readonly total: () => Total | undefined
}

/** Data that searches share. */
export interface SearchMemory {
  readonly frequencies: FrequencySource
  readonly counter: MatchCounter
}

/**
 * Up to this many matches are collected and sorted, which reads each of them. With more matches, a scan meets a match
 * often enough. The limits differ because a scan for words is fast, one for tags is less so, and one that reads the
 * table is slow.
 */
const MOST_COLLECTED = 600
const MOST_COLLECTED_WITHOUT_WORDS = 1_500
const MOST_COLLECTED_FOR_EACH_ROW = 28
const MOST_COLLECTED_RATHER_THAN_READ = 6_000
/** The limit for collecting after a scan has found too few matches. */
const MOST_COLLECTED_AFTER_A_SCAN = 20_000
/** With fewer matches than this, known words are also treated as mistyped. */
const TOO_FEW = 5

/**
 * Finds the agents that match a search, in its order, one page at a time. Pages follow each other by place, not by
 * offset, so that agents added or removed in between do not shift them.
 *
 * Rare words are looked up in the index, common ones are found by a scan. Both are limited, so a page may hold fewer
 * agents than requested and still not be the last. Throws a `Refusal` `unavailable` when the database takes too long.
 */
export async function findAgents(
  database: Database,
  { frequencies: frequencySource, counter }: SearchMemory,
  search: Search,
): Promise<FoundPage> {
  if (search.words?.length === 0) return { found: [], next: undefined, total: () => NONE }
  return inLimitedTime(database, async client => {
    const frequencies = await frequencySource.read(client)
    const { after } = search
    const scope = { client, search, frequencies }
    const isGuessing = after?.stage === stageNumber('similar')
    if (isGuessing) return pageOf(search, await continueSimilar(scope, after.readings ?? []))
    const completions = after?.readings?.[0] ?? (await readCompletions(scope))
    const stages = plainStages(search, completions)
    const isCommon = frequencies.estimate(stages, filterTags(search)) > mostCollected(search)
    // Counted concurrently with the search, so that the count is known when the page is.
    if (after === undefined && isCommon) counter.count(search, stages)
    const plain = { ...(await findInStages(scope, stages, after)), readings: [completions] }
    const isTooLittle = plain.matching !== undefined && plain.matching < TOO_FEW
    if (isTooLittle && plain.found.length <= search.limit)
      return pageOf(search, await addSimilar(scope, plain, completions))
    const page = pageOf(search, plain)
    return after === undefined
      ? { ...page, total: () => page.total() ?? counter.count(search, stages) }
      : page
  })
}

interface Scope {
  readonly client: pg.PoolClient
  readonly search: Search
  readonly frequencies: Frequencies
}

interface Outcome {
  /** One row more than the limit, if there are that many. */
  readonly found: readonly Found[]
  /** The number of matches in all, if known. */
  readonly matching: number | undefined
  /** The place where the search stopped at its limit before it had found enough. */
  readonly stoppedAt: Place | undefined
  readonly readings?: readonly (readonly string[])[]
  /** The readings of the exact matches, when matches of similar words follow them. */
  readonly plainReadings?: readonly (readonly string[])[]
}

async function findInStages(
  scope: Scope,
  stages: readonly Stage[],
  after: Place | undefined,
): Promise<Outcome> {
  const { client, search, frequencies } = scope
  const rows = search.limit + 1
  const most = mostCollected(search)
  if (frequencies.estimate(stages, filterTags(search)) <= most) {
    const all = await collectMatches(client, search, stages, { after, rows, most })
    if (all.isWhole) return { found: all.found, matching: all.matching, stoppedAt: undefined }
  }
  const found: Found[] = []
  for (const stage of stages) {
    if (after !== undefined && stage.number < after.stage) continue
    const behind = after?.stage === stage.number ? after : undefined
    const part = await findInStage(scope, stage, behind, rows - found.length)
    found.push(...part.found)
    if (part.stoppedAt !== undefined || found.length === rows)
      return { found, matching: undefined, stoppedAt: part.stoppedAt }
  }
  return { found, matching: undefined, stoppedAt: undefined }
}

async function findInStage(
  { client, search, frequencies }: Scope,
  stage: Stage,
  after: Place | undefined,
  rows: number,
): Promise<{ readonly found: readonly Found[]; readonly stoppedAt: Place | undefined }> {
  const most = mostCollected(search)
  if (!stage.isInOrder && frequencies.estimate([stage], filterTags(search)) <= most) {
    const all = await collectMatches(client, search, [stage], { after, rows, most })
    if (all.isWhole) return { found: all.found, stoppedAt: undefined }
  }
  const met = await scanInOrder(client, search, stage, { after, rows })
  if (met.length === rows) return { found: met, stoppedAt: undefined }
  const many = await collectMatches(client, search, [stage], {
    after,
    rows,
    most: MOST_COLLECTED_AFTER_A_SCAN,
  })
  if (many.isWhole) return { found: many.found, stoppedAt: undefined }
  return { found: met, stoppedAt: await endOfScan(client, search, stage, after) }
}

function mostCollected(search: Search): number {
  const inIndex = search.words === undefined ? MOST_COLLECTED_WITHOUT_WORDS : MOST_COLLECTED
  const most = isScannedInIndex(search) ? inIndex : MOST_COLLECTED_RATHER_THAN_READ
  return Math.max(most, MOST_COLLECTED_FOR_EACH_ROW * (search.limit + 1))
}

/** Reads the words of which the last word may be the beginning. */
async function readCompletions({ client, search, frequencies }: Scope): Promise<readonly string[]> {
  const last = search.words?.at(-1)
  return last === undefined ? [] : await completionsOf(client, frequencies, last)
}

async function addSimilar(scope: Scope, plain: Outcome, completions: readonly string[]): Promise<Outcome> {
  const { client, search } = scope
  const readings = search.words && (await similarWords(client, search.words))
  if (readings === undefined) return plain
  const rows = search.limit + 1 - plain.found.length
  const stage = similarStage(search, readings, completions)
  const similar = await findInStage(scope, stage, undefined, rows)
  const found = [...plain.found, ...similar.found]
  return { ...similar, found, matching: undefined, readings, plainReadings: [completions] }
}

async function continueSimilar(scope: Scope, readings: readonly (readonly string[])[]): Promise<Outcome> {
  const { search } = scope
  const rows = search.limit + 1
  const stage = similarStage(search, readings, await readCompletions(scope))
  const similar = await findInStage(scope, stage, search.after, rows)
  return { ...similar, matching: undefined, readings }
}

function pageOf(search: Search, outcome: Outcome): FoundPage {
  const { found, matching, stoppedAt, readings = [], plainReadings = readings } = outcome
  const { limit, words, after } = search
  const shown = found.slice(0, limit)
  const last = found.length > limit ? shown.at(-1) : undefined
  const next = last ?? stoppedAt
  const count = next === undefined ? shown.length : matching
  const total = after !== undefined || count === undefined ? undefined : { count, isAtLeast: false }
  if (next === undefined) return { found: shown, next: undefined, total: () => total }
  const { stage, key, position } = next
  // The next page must use the same readings as this page did at its end.
  const read = stage === stageNumber('similar') ? readings : plainReadings
  const place = { stage, key, position, readings: words === undefined ? null : read }
  return { found: shown, next: place, total: () => total }
}

const NONE: Total = { count: 0, isAtLeast: false }
