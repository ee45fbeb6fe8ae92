import { randomBytes } from 'node:crypto'
import { mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import { startChain } from '@farebox/local/chain/start-chain'
import { startPlatformProcess } from '@farebox/local/src/start-platform-process'
import type { SearchQuery } from '@farebox/platform-api/search'
import { request } from 'undici'
import { fillPlatform, type FilledPlatform } from '../platform/filled-platform.ts'
import type { Row } from '../report/bench.ts'
import { milliseconds } from '../report/figures.ts'
import { limitRow } from '../report/limit-row.ts'
import { cpuMs } from '../rounds/cpu-time.ts'
import { quantile } from '../rounds/statistics.ts'
import type { Stage } from '../stage/stage.ts'
import { withDatabase } from '../stage/open-database.ts'

const P95_MS = 60
/** The headers of Chromium's request for a document. */
const BROWSER = { accept: 'text/html,application/xhtml+xml', 'accept-encoding': 'gzip, deflate, br' }
/** The search parameters of a page's address. */
const SHOWN = ['q', 'capability', 'max_price', 'badge', 'takes', 'gives', 'sort'] as const

/** Time to the last byte of each kind of page, with the platform in its own process, and its CPU time for a page. */
export async function measureServerTime(stage: Stage): Promise<readonly Row[]> {
  const filled = await fillPlatform(stage)
  const { url, schema, agents } = filled
  // Otherwise the platform's checks of a million nonexistent addresses would be measured.
  await withDatabase(filled, async client => {
    await client.query(`update ${schema}.agent_health set due_at = 'infinity'`)
    await client.query(`vacuum analyze ${schema}.agent_health`)
  })
  const chain = await startChain()
  stage.onStrike(chain.stop)
  const platform = await startPlatformProcess({
    folder: await mkdtemp(join(stage.folder, 'platform-')),
    chain,
    facilitator: { url: 'http://127.0.0.1:1', adminToken: randomBytes(16).toString('hex') },
    databaseUrl: url,
    port: 0,
    environment: { DATABASE_SCHEMA: schema, PLATFORM_TRUSTED_PROXIES: '127.0.0.1,::1' },
  })
  stage.onStrike(() => platform.stop())
  const rows: Row[] = []
  for (const [name, path] of pageKinds(filled)) {
    stage.tell(`server time: ${name}`)
    await visit(platform.url, path, stage.quick ? 30 : 375)
    const before = cpuMs({ pids: [platform.pid] })
    const timesMs = await visit(platform.url, path, stage.quick ? 50 : 400)
    const cpu = (cpuMs({ pids: [platform.pid] }) - before) / timesMs.length
    const [p50, p99] = [0.5, 0.99].map(share => milliseconds(quantile(timesMs, share)))
    rows.push(
      limitRow({
        what: `server time of ${name}, p95`,
        value: quantile(timesMs, 0.95),
        limit: { atMost: P95_MS },
        format: milliseconds,
        notes: [
          `${agents.toLocaleString('en-US')} agents; p50 ${p50}, p99 ${p99}; CPU ${milliseconds(cpu)} a page`,
        ],
      }),
    )
  }
  return rows
}

/** Each with a function that returns an address of its kind. */
function pageKinds({
  searches,
  agents,
  random,
}: FilledPlatform): readonly (readonly [string, () => string])[] {
  const byShare = searches.flatMap(kind => Array.from({ length: kind.share }, () => kind))
  return [
    ['/', () => '/'],
    ['/?q=…, the mix of search', () => searchPath(random.pick(byShare).ask())],
    // Half of them with a month of checks: the first thousand have that.
    [
      '/agents/:id',
      () => `/agents/${1 + random.below(random.next() < 0.5 ? Math.min(agents, 1_000) : agents)}`,
    ],
    ['/jobs', () => '/jobs'],
    ['/owner, signed out', () => '/owner'],
  ]
}

function searchPath(query: SearchQuery): string {
  const address = new URLSearchParams()
  for (const name of SHOWN) {
    const value = query[name]
    if (typeof value === 'string') address.set(name, value)
  }
  return `/?${address.toString()}`
}

let visits = 0

/** Requests pages one after another, each from another client address, so that no rate limit applies. */
async function visit(url: string, path: () => string, times: number): Promise<readonly number[]> {
  const timesMs: number[] = []
  for (let time = 0; time < times; time += 1) {
    visits += 1
    const from = [10, visits >> 16, (visits >> 8) & 255, visits & 255].join('.')
    const asked = path()
    const startedMs = performance.now()
    const { statusCode, body } = await request(url + asked, {
      headers: { ...BROWSER, 'x-forwarded-for': from },
    })
    await body.arrayBuffer()
    timesMs.push(performance.now() - startedMs)
    if (statusCode !== 200) throw new Error(`${asked} was answered ${statusCode}`)
  }
  return timesMs
}
