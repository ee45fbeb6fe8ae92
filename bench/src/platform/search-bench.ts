import { randomBytes } from 'node:crypto'
import { parseArgs } from 'node:util'
import { searchRoutes } from '@farebox/platform/src/search/search-routes'
import type { Route } from '@farebox/platform/src/http/route'
import type { PlatformParts } from '@farebox/platform/platform-parts'
import { openStorage } from '@farebox/platform/storage/open-storage'
import { searchAnswer, type SearchAnswer, type SearchQuery } from '@farebox/platform-api/search'
import { systemClock } from '@farebox/server/clock'
import type { Database } from '@farebox/server/src/postgres/connect'
import pg from 'pg'
import { quantile } from '../rounds/statistics.ts'
import { fillAgents } from './fill-agents.ts'
import { createAgentMaker, makeVocabulary } from './made-up-agents.ts'
import { createRandom } from './random.ts'
import { searchMix, type Kind } from './search-mix.ts'

const HELP = `search and agent pages, over many made-up agents in a schema of their own, dropped afterwards

  --agents <n>      default 1000000
  --questions <n>   of the whole mix; default 1500
  --database <url>  default postgres://root@127.0.0.1:5432/test
  --schema <name>   use this one: filled where it is empty, kept afterwards
`

/** Goals of the platform: a search in 50 ms and a page in 10 ms, each at the 95th percentile of a million agents. */
const SEARCH_P95_MS = 50
const PAGE_P95_MS = 10
const VOCABULARY = 60_000

process.exitCode = await main()

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      agents: { type: 'string', default: '1000000' },
      questions: { type: 'string', default: '1500' },
      database: { type: 'string', default: 'postgres://root@127.0.0.1:5432/test' },
      schema: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) {
    process.stdout.write(HELP)
    return 0
  }
  const schema = values.schema ?? `search_bench_${randomBytes(6).toString('hex')}`
  const database = await openStorage({ connectionString: values.database, schema })
  try {
    const agents = Number(values.agents)
    const vocabulary = makeVocabulary(VOCABULARY, 7)
    const known = await countAgents(database)
    if (known === 0) await fillAgents({ connectionString: values.database, schema, agents, vocabulary, tell })
    return await measure(database, {
      vocabulary,
      agents: known === 0 ? agents : known,
      questions: Number(values.questions),
    })
  } finally {
    await database.pool.end()
    if (values.schema === undefined) await dropSchema(values.database, schema)
  }
}

interface Scene {
  readonly vocabulary: readonly string[]
  readonly agents: number
  readonly questions: number
}

async function measure(database: Database, scene: Scene): Promise<number> {
  const { vocabulary, agents, questions } = scene
  const routes = searchRoutes(partsOf(database))
  const samples = Array.from({ length: 5_000 }, createAgentMaker(vocabulary, 1))
  const random = createRandom(99)
  const kinds = searchMix(vocabulary, () => random.pick(samples), random)
  const all: number[] = []
  tell('warming up')
  for (const kind of kinds) await measureKind(routes, kind, Math.ceil((questions * kind.share) / 400))
  const lines = [line('', ['p50', 'p95', 'p99', 'worst', 'found'])]
  for (const kind of kinds) {
    const { timesMs, found } = await measureKind(routes, kind, Math.ceil((questions * kind.share) / 100))
    all.push(...timesMs)
    lines.push(line(kind.name, [...figures(timesMs), found.toFixed(1)]))
  }
  lines.push(line(`search, the whole mix of ${all.length}`, figures(all)))
  const pages = await measurePages(routes, agents, random)
  lines.push(line('agent page', figures(pages)))
  process.stdout.write(`\n${agents.toLocaleString('en-US')} agents, milliseconds\n${lines.join('\n')}\n`)
  const isGood = quantile(all, 0.95) <= SEARCH_P95_MS && quantile(pages, 0.95) <= PAGE_P95_MS
  process.stdout.write(
    `goals: search p95 ≤ ${SEARCH_P95_MS} ms, page p95 ≤ ${PAGE_P95_MS} ms: ${isGood ? 'reached' : 'MISSED'}\n`,
  )
  return isGood ? 0 : 1
}

async function measureKind(
  routes: readonly Route[],
  kind: Kind,
  times: number,
): Promise<{ readonly timesMs: readonly number[]; readonly found: number }> {
  const timesMs: number[] = []
  let found = 0
  for (let index = 0; index < times; index += 1) {
    let query = kind.ask()
    for (let page = 0; page < (kind.pagesBefore ?? 0); page += 1) {
      const { next_cursor: cursor } = await search(routes, query)
      if (cursor === null) break
      query = { ...query, cursor }
    }
    const startedMs = performance.now()
    const answer = await search(routes, query)
    const tookMs = performance.now() - startedMs
    timesMs.push(tookMs)
    found += searchAnswer.parse(answer).agents.length
    if (tookMs > 200)
      tell(`${tookMs.toFixed(0)} ms: ${kind.name} ${JSON.stringify({ ...query, cursor: undefined })}`)
  }
  return { timesMs, found: found / times }
}

async function search(routes: readonly Route[], query: SearchQuery): Promise<SearchAnswer> {
  // The route's own schema types its answer; measureKind checks one of each page.
  return (await ask(routes, '/v1/agents', query, undefined)) as SearchAnswer
}

async function measurePages(
  routes: readonly Route[],
  agents: number,
  random: ReturnType<typeof createRandom>,
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
  const route = routes.find(route => route.path === path)
  const answer = await route?.handle({
    params,
    query,
    headers: undefined,
    body: undefined,
    caller: { kind: 'anonymous', ip: '127.0.0.1' },
    signal: new AbortController().signal,
  })
  return answer?.body
}

/** Search and pages stand on the database, the clock and one setting; the rest is not there. */
function partsOf(database: Database): PlatformParts {
  const parts = { database, clock: systemClock, settings: { publicUrl: 'http://127.0.0.1:4020' } }
  return parts as unknown as PlatformParts
}

async function countAgents(database: Database): Promise<number> {
  const [row] = await database.query<{ count: string }>(
    'count',
    'select count(*) as count from search_entries',
  )
  return Number(row?.count ?? 0)
}

async function dropSchema(connectionString: string, schema: string): Promise<void> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  try {
    await client.query(`drop schema ${schema} cascade`)
  } finally {
    await client.end()
  }
}

function figures(timesMs: readonly number[]): readonly string[] {
  return [0.5, 0.95, 0.99, 1].map(share => quantile(timesMs, share).toFixed(1))
}

function line(name: string, cells: readonly string[]): string {
  return `  ${name.padEnd(34)}${cells.map(cell => cell.padStart(9)).join('')}`
}

function tell(text: string): void {
  process.stderr.write(`${text}\n`)
}
