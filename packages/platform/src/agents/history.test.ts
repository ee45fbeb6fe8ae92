import { afterEach, beforeEach, expect, test } from 'vitest'
import { stagePlatform, type Stage } from '../test-setup/stage-platform.ts'
import { watchMany } from '../test-setup/database/watch-many.ts'
import { countChecks, pruneHours, readHours, uptimeOf, uptimeOverSpan } from './history.ts'
import { leaseChecks } from '../monitor/lease-checks.ts'
import { readHealthSummary } from '../monitor/read-health.ts'
import { writeChecks } from '../monitor/write-checks.ts'

const HOUR_MS = 3_600_000
const START_MS = Date.UTC(2027, 0, 1)

let stage: Stage

beforeEach(async () => {
  stage = await stagePlatform()
  await watchMany(stage.database, { count: 1, endpoint: `'https://agent.example'`, dueAtMs: 0 })
})

afterEach(() => stage.close())

/** Records one check at this time; it failed when `latencyMs` is undefined. */
async function check(atMs: number, latencyMs: number | undefined): Promise<void> {
  const [lease] = await leaseChecks(stage.database, 1, { atMs })
  if (lease === undefined) throw new Error('nothing was due')
  const outcome =
    latencyMs === undefined
      ? ({ kind: 'failed', reason: 'unreachable' } as const)
      : ({ kind: 'passed', latencyMs } as const)
  await writeChecks(stage.database, [{ lease, failures: 0, dueMs: 0, outcome }])
}

test('the checks of each hour are kept, including the current hour', async () => {
  await check(START_MS + 1, 10)
  await check(START_MS + 2, undefined)
  await check(START_MS + 3, 40)
  await check(START_MS + 2 * HOUR_MS, undefined)
  await check(START_MS + 3 * HOUR_MS + 59 * 60_000, 30)
  expect(await readHours(stage.database, 1, 1, START_MS + 4 * HOUR_MS)).toEqual([
    { hourMs: START_MS, ok: 2, failed: 1, latencyMs: { min: 10, mean: 25, max: 40 } },
    { hourMs: START_MS + 2 * HOUR_MS, ok: 0, failed: 1, latencyMs: undefined },
    { hourMs: START_MS + 3 * HOUR_MS, ok: 1, failed: 0, latencyMs: { min: 30, mean: 30, max: 30 } },
  ])
  const count = await countChecks(stage.database, 1, 7, START_MS + 4 * HOUR_MS)
  expect(count).toEqual({ ok: 3, failed: 2, hours: 3 })
  expect(uptimeOf(count)).toBe(0.6)
})

test('HLT-08 an hour that is repeated after a step of the clock continues its counts', async () => {
  await check(START_MS + HOUR_MS, 10)
  await check(START_MS, 20)
  await check(START_MS + HOUR_MS, 30)
  expect(await countChecks(stage.database, 1, 1, START_MS + 2 * HOUR_MS)).toEqual({
    ok: 3,
    failed: 0,
    hours: 1,
  })
})

test('latency percentiles are exact', async () => {
  for (let latency = 1; latency <= 50; latency++) await check(START_MS, latency)
  for (let latency = 51; latency <= 100; latency++) await check(START_MS + HOUR_MS, latency)
  expect(await readHealthSummary(stage.database, 1, START_MS + HOUR_MS)).toMatchObject({
    latency_p50_ms: 50,
    latency_p95_ms: 95,
    uptime_7d: 1,
  })
  for (let more = 0; more < 70; more++) await check(START_MS + 2 * HOUR_MS, 7)
  const { rows } = await stage.database.pool.query<{ kept: number }>(
    'select cardinality(hour_latencies_ms) as kept from agent_health',
  )
  expect(rows[0]?.kept).toBe(60)
})

test('D34 uptime over 7 and 30 days is exact to the hour', async () => {
  const days30 = 30 * 24
  await stage.database.pool.query(
    `insert into agent_hours (agent_id, hour, ok, failed, latencies_ms)
     select 1, to_timestamp($1::float8 / 1000) + h * interval '1 hour', 5, (h % 7 = 0)::integer, '{}'
     from generate_series(0, $2::integer - 1) as h`,
    [START_MS, days30],
  )
  const nowMs = START_MS + days30 * HOUR_MS - 1
  const failed = (from: number): number =>
    Array.from({ length: days30 - from }, (_, h) => h + from).filter(h => h % 7 === 0).length
  expect(await countChecks(stage.database, 1, 30, nowMs)).toEqual({
    ok: 3_600,
    failed: failed(0),
    hours: 720,
  })
  expect(await countChecks(stage.database, 1, 7, nowMs)).toEqual({ ok: 840, failed: failed(552), hours: 168 })
})

test('D34 a period counts once it was watched completely and at least half of its hours were checked', () => {
  const span = { days: 7, watchedSinceMs: 0, nowMs: 7 * 24 * HOUR_MS, checkIntervalMs: 600_000 }
  const count = { ok: 99, failed: 1, hours: 84 }
  expect(uptimeOverSpan(count, span)).toBe(0.99)
  expect(uptimeOverSpan(count, { ...span, watchedSinceMs: 1 })).toBeUndefined()
  expect(uptimeOverSpan({ ...count, hours: 83 }, span)).toBeUndefined()
  expect(uptimeOverSpan({ ...count, hours: 42 }, { ...span, checkIntervalMs: 2 * HOUR_MS })).toBe(0.99)
})

test('history older than 35 days is removed', async () => {
  await stage.database.pool.query(
    `insert into agent_hours (agent_id, hour, ok, failed, latencies_ms)
     select 1, to_timestamp($1::float8 / 1000) - d * interval '1 day', 1, 0, '{}' from generate_series(0, 99) as d`,
    [START_MS],
  )
  expect(await pruneHours(stage.database, START_MS)).toBe(64)
  expect(await countChecks(stage.database, 1, 100, START_MS)).toMatchObject({ hours: 36 })
})
