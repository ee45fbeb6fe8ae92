import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { startChain } from '@farebox/local/chain/start-chain'
import { startPlatformProcess } from '@farebox/local/src/start-platform-process'
import { openStorage } from '@farebox/platform/storage/open-storage'
import { fillAgents } from '../platform/fill-agents.ts'
import { createAgentMaker, makeVocabulary } from '../platform/made-up-agents.ts'
import { createRandom } from '../platform/random.ts'
import { searchMix } from '../platform/search-mix.ts'
import { cpuMs } from '../rounds/cpu-time.ts'
import { quantile } from '../rounds/statistics.ts'
import { createBackendCpu, type BackendCpu } from './backend-cpu.ts'
import type { Figure, Section } from './figure.ts'
import type { WebOptions } from './options.ts'
import { createPageMix, type PageKind } from './page-mix.ts'
import { query } from './query.ts'
import { createVisitors, type Visitors } from './visitors.ts'

const MOST_MS = 60
const VOCABULARY = 60_000
/** As many as `bench:search` takes: what is read must be in memory. */
const WARM_UPS = 375
const REQUESTS = 400
/** At a time, in the second run. */
const TOGETHER = 4

/** How long the platform takes to make a page, with so many agents behind it, and what that costs its process. */
export async function measureServerTime(
  options: Pick<WebOptions, 'agents' | 'database' | 'schema'>,
  tell: (doing: string) => void,
): Promise<Section> {
  const { database } = options
  const schema = options.schema ?? `web_bench_${randomBytes(6).toString('hex')}`
  const vocabulary = makeVocabulary(VOCABULARY, 7)
  const agents = await fill({ ...options, schema, vocabulary, tell })
  const named = new URL(database)
  named.searchParams.set('application_name', schema)
  const backends = createBackendCpu(database, schema)
  const folder = await mkdtemp(join(tmpdir(), 'farebox-bench-web-'))
  const chain = await startChain()
  try {
    const platform = await startPlatformProcess({
      folder,
      chain,
      facilitator: { url: 'http://127.0.0.1:1', adminToken: randomBytes(16).toString('hex') },
      databaseUrl: named.href,
      port: 0,
      environment: { DATABASE_SCHEMA: schema, PLATFORM_TRUSTED_PROXIES: '127.0.0.1,::1' },
    })
    const visitors = createVisitors(platform.url)
    try {
      const random = createRandom(99)
      const samples = Array.from({ length: 5_000 }, createAgentMaker(vocabulary, 1))
      const searches = searchMix(vocabulary, () => random.pick(samples), random)
      const kinds = createPageMix({ searches, agents, random })
      const figures: Figure[] = []
      await warm(database, schema, tell)
      for (const kind of kinds)
        figures.push(...(await measureKind({ kind, visitors, pid: platform.pid, backends, tell })))
      const load = loadavg()
        .map(one => one.toFixed(1))
        .join(' ')
      return {
        title: `server time of pages, ${agents.toLocaleString('en-US')} agents, load of the machine ${load}`,
        figures,
      }
    } finally {
      await visitors.close()
      await platform.stop()
    }
  } finally {
    await chain.stop()
    await rm(folder, { recursive: true, force: true })
    if (options.schema === undefined) await query(database, `drop schema ${schema} cascade`)
  }
}

/**
 * Reads what pages are made from into the machine's memory, where a server that is asked all day has it: a machine that has
 * put it out again would be measured by its disk. Needs PostgreSQL's own `pg_prewarm`; without it that is told.
 */
async function warm(database: string, schema: string, tell: (doing: string) => void): Promise<void> {
  tell('server: reading tables and indexes into memory')
  try {
    await query(database, `create extension pg_prewarm schema ${schema}`)
  } catch (error) {
    tell(`not read: ${error instanceof Error ? error.message : String(error)}`)
    return
  }
  try {
    await query(
      database,
      `select count(${schema}.pg_prewarm(oid::regclass, 'read')) from pg_class
       where relnamespace = '${schema}'::regnamespace and relkind in ('r', 'i') and relname ~ '^(search|agent_health|agents)'`,
    )
  } finally {
    await query(database, 'drop extension pg_prewarm')
  }
}

async function measureKind(scene: {
  readonly kind: PageKind
  readonly visitors: Visitors
  readonly pid: number
  readonly backends: BackendCpu
  readonly tell: (doing: string) => void
}): Promise<readonly Figure[]> {
  const { kind, visitors, pid, backends, tell } = scene
  tell(`server: ${kind.name}, warming up`)
  await visitors.visit(paths(kind, WARM_UPS), 1)
  const figures: Figure[] = []
  for (const together of [1, TOGETHER]) {
    tell(`server: ${kind.name}, ${together} at a time`)
    await backends.spentMs()
    const before = cpuMs({ pids: [pid] })
    const { timesMs, refused } = await visitors.visit(paths(kind, REQUESTS), together)
    const cpu = (cpuMs({ pids: [pid] }) - before) / REQUESTS
    const ofDatabase = await backends.spentMs()
    const [p50, p99, worst] = [0.5, 0.99, 1].map(share => quantile(timesMs, share).toFixed(1))
    figures.push({
      what: `${kind.name}${together === 1 ? ', p95' : `, p95 with ${together} at a time`}`,
      value: quantile(timesMs, 0.95),
      unit: 'ms',
      // A page's server time is that of a page; what waits behind others on the same core is told beside it.
      ...(together === 1 && { goal: { atMost: MOST_MS } }),
      notes: [
        `p50 ${p50}, p99 ${p99}, worst ${worst}; CPU of the platform ${cpu.toFixed(1)} ms a page${ofDatabase === undefined ? '' : `, of PostgreSQL ${(ofDatabase / REQUESTS).toFixed(1)}`}`,
        ...(refused.length === 0 ? [] : [`503 for ${refused.length}: ${refused.slice(0, 4).join(' ')}`]),
      ],
    })
  }
  return figures
}

function paths(kind: PageKind, count: number): readonly string[] {
  return Array.from({ length: count }, () => kind.path())
}

async function fill(options: {
  readonly agents: number
  readonly database: string
  readonly schema: string
  readonly vocabulary: readonly string[]
  readonly tell: (doing: string) => void
}): Promise<number> {
  const { agents, database: connectionString, schema, vocabulary, tell } = options
  const storage = await openStorage({ connectionString, schema })
  await storage.pool.end()
  const count = async (): Promise<number> =>
    Number((await query(connectionString, `select count(*) as count from ${schema}.search_entries`)) ?? 0)
  if ((await count()) === 0) await fillAgents({ connectionString, schema, agents, vocabulary, tell })
  // Nobody is there to be checked: a platform that tried a million addresses meanwhile would be measured doing that.
  const unwatch = `update ${schema}.agent_health set due_at = 'infinity' where due_at < 'infinity'`
  await query(connectionString, unwatch)
  await query(connectionString, `vacuum analyze ${schema}.agent_health`)
  return await count()
}
