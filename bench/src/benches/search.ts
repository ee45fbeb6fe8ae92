import { readTraceparent } from '@farebox/protocol/internal/trace/traceparent'
import type { PlatformParts } from '@farebox/platform/platform-parts'
import type { Route } from '@farebox/platform/src/http/route'
import { searchRoutes } from '@farebox/platform/src/search/search-routes'
import { openStorage } from '@farebox/platform/storage/open-storage'
import { searchAnswer, type SearchAnswer, type SearchQuery } from '@farebox/platform-api/search'
import { systemClock } from '@farebox/protocol/time/clock'
import { fillPlatform, type FilledPlatform } from '../platform/filled-platform.ts'
import type { Kind } from '../platform/search-mix.ts'
import type { Bench } from '../report/bench.ts'
import { milliseconds } from '../report/figures.ts'
import { limitRow } from '../report/limit-row.ts'
import { quantile } from '../rounds/statistics.ts'

const SEARCH_P95_MS = 50
const PAGE_P95_MS = 10
const QUESTIONS = 1_500

/** A mix of searches, and the page of an agent, over a million made-up agents. */
export const search: Bench = {
  name: 'search',
  isLong: true,
  async run(stage) {
    const platform = await fillPlatform(stage)
    const { url: connectionString, schema, searches, agents } = platform
    const database = await openStorage({ connectionString, schema })
    stage.onStrike(() => database.pool.end())
    // Search and pages need the database, the clock and one setting.
    const parts = { database, clock: systemClock, settings: { publicUrl: 'http://127.0.0.1:4020' } }
    const routes = searchRoutes(parts as unknown as PlatformParts)
    const questions = stage.quick ? 300 : QUESTIONS
    stage.tell('warming up')
    for (const kind of searches) await measureKind(routes, kind, questions / 400)
    const all: number[] = []
    const notes: string[] = []
    for (const kind of searches) {
      stage.tell(kind.name)
      const timesMs = await measureKind(routes, kind, questions / 100)
      all.push(...timesMs)
      notes.push(`${kind.name}: ${describeTimes(timesMs)}`)
    }
    const pages = await measurePages(routes, platform)
    const behind = `${agents.toLocaleString('en-US')} agents`
    return [
      limitRow({
        what: `search over ${behind}, p95`,
        value: quantile(all, 0.95),
        limit: { atMost: SEARCH_P95_MS },
        format: milliseconds,
        notes: [`the whole mix of ${all.length}: ${describeTimes(all)}`, ...notes],
      }),
      limitRow({
        what: `page of one of ${behind}, p95`,
        value: quantile(pages, 0.95),
        limit: { atMost: PAGE_P95_MS },
        format: milliseconds,
        notes: [describeTimes(pages)],
      }),
    ]
  },
}

async function measureKind(
  routes: readonly Route[],
  kind: Kind,
  timesOfShare: number,
): Promise<readonly number[]> {
  const timesMs: number[] = []
  for (let index = 0; index < Math.ceil(timesOfShare * kind.share); index += 1) {
    let query = kind.ask()
    for (let page = 0; page < (kind.pagesBefore ?? 0); page += 1) {
      const { next_cursor: cursor } = await searchOnce(routes, query)
      if (cursor === null) break
      query = { ...query, cursor }
    }
    const startedMs = performance.now()
    const answer = await searchOnce(routes, query)
    timesMs.push(performance.now() - startedMs)
    searchAnswer.parse(answer)
  }
  return timesMs
}

async function searchOnce(routes: readonly Route[], query: SearchQuery): Promise<SearchAnswer> {
  return (await ask(routes, '/v1/agents', query, undefined)) as SearchAnswer
}

async function measurePages(
  routes: readonly Route[],
  { agents, random }: FilledPlatform,
): Promise<readonly number[]> {
  const timesMs: number[] = []
  for (let index = 0; index < 600; index += 1) {
    // Every other one has a month of checks behind it.
    const agentId = 1 + random.below(index % 2 === 0 ? Math.min(agents, 1_000) : agents)
    const startedMs = performance.now()
    await ask(routes, '/v1/agents/:agentId', undefined, { agentId })
    if (index >= 100) timesMs.push(performance.now() - startedMs)
  }
  return timesMs
}

async function ask(
  routes: readonly Route[],
  path: string,
  query: unknown,
  params: unknown,
): Promise<unknown> {
  const answer = await routes
    .find(route => route.path === path)
    ?.handle({
      params,
      query,
      headers: undefined,
      body: undefined,
      caller: { kind: 'anonymous', ip: '127.0.0.1' },
      trace: readTraceparent(undefined),
      signal: new AbortController().signal,
    })
  return answer?.body
}

function describeTimes(timesMs: readonly number[]): string {
  const [p50, p99, worst] = [0.5, 0.99, 1].map(share => milliseconds(quantile(timesMs, share)))
  return `p50 ${p50}, p99 ${p99}, worst ${worst}`
}
