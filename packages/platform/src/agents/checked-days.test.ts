import { healthDays, type HealthDays } from '@farebox/platform-api/monitor'
import { createManualClock } from '@farebox/protocol/src/test-setup/manual-clock'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createApp } from '../app/create-app.ts'
import { leaseChecks } from '../monitor/lease-checks.ts'
import { monitorRoutes } from '../monitor/monitor-routes.ts'
import { readHealthSummary } from '../monitor/read-health.ts'
import { writeChecks, type CheckVerdict } from '../monitor/write-checks.ts'
import { answersAsDocumented } from '../test-setup/answers-as-documented.ts'
import { stagePlatform, type Stage } from '../test-setup/stage-platform.ts'
import { watchMany } from '../test-setup/database/watch-many.ts'
import { DAY_MS, pruneDays, readDays } from './checked-days.ts'

const HOUR_MS = 3_600_000
const START_MS = Date.UTC(2027, 0, 1)

let stage: Stage
let failures = 0

beforeAll(async () => {
  stage = await stagePlatform()
})
beforeEach(async () => {
  await stage.database.pool.query('truncate agents cascade')
  failures = 0
  await watchMany(stage.database, { count: 1, endpoint: `'https://agent.example'`, dueAtMs: 0 })
})
afterAll(() => stage.close())

async function check(atMs: number, kind: 'passed' | 'failed' | 'uncounted'): Promise<void> {
  const [lease] = await leaseChecks(stage.database, 1, { atMs })
  if (lease === undefined) throw new Error('nothing was due')
  const outcomes: { readonly [kind: string]: CheckVerdict['outcome'] } = {
    passed: { kind: 'passed', latencyMs: 5 },
    failed: { kind: 'failed', reason: 'unreachable' },
  }
  failures = kind === 'passed' ? 0 : failures + (kind === 'failed' ? 1 : 0)
  const outcome = outcomes[kind] ?? { kind: 'uncounted' }
  await writeChecks(stage.database, [{ lease, failures, dueMs: 0, outcome }])
}

const days = (fromMs = START_MS): ReturnType<typeof readDays> => readDays(stage.database, 1, fromMs)

test('the checks of each UTC day are kept, including the current day; days without checks are left out', async () => {
  await check(START_MS + 1, 'passed')
  await check(START_MS + DAY_MS - 1, 'failed')
  await check(START_MS + DAY_MS, 'passed')
  await check(START_MS + 4 * DAY_MS, 'passed')
  await check(START_MS + 4 * DAY_MS + HOUR_MS, 'passed')
  expect(await days()).toEqual([
    { dayMs: START_MS, ok: 1, failed: 1, offlineSeconds: 0 },
    { dayMs: START_MS + DAY_MS, ok: 1, failed: 0, offlineSeconds: 0 },
    { dayMs: START_MS + 4 * DAY_MS, ok: 2, failed: 0, offlineSeconds: 0 },
  ])
  expect(await days(START_MS + DAY_MS)).toHaveLength(2)
})

describe('offline seconds', () => {
  test('begin with the fifth failure in a row and end with the next success', async () => {
    for (let minute = 0; minute < 60; minute += 10) await check(START_MS + minute * 60_000, 'failed')
    await check(START_MS + HOUR_MS, 'passed')
    await check(START_MS + HOUR_MS + 600_000, 'passed')
    expect(await days()).toEqual([{ dayMs: START_MS, ok: 2, failed: 6, offlineSeconds: 1_200 }])
  })

  test('are counted for each day when an agent is offline over midnight, even while checks give no result', async () => {
    const evening = START_MS + DAY_MS - HOUR_MS
    for (let index = 0; index < 5; index += 1) await check(evening, 'failed')
    await check(START_MS + DAY_MS + HOUR_MS, 'uncounted')
    await check(START_MS + DAY_MS + 2 * HOUR_MS, 'passed')
    expect(await days()).toEqual([
      { dayMs: START_MS, ok: 0, failed: 5, offlineSeconds: 3_600 },
      { dayMs: START_MS + DAY_MS, ok: 1, failed: 0, offlineSeconds: 7_200 },
    ])
  })

  test('never exceed a day, even after a long time without checks', async () => {
    for (let index = 0; index < 5; index += 1) await check(START_MS, 'failed')
    await check(START_MS + 7 * DAY_MS + HOUR_MS, 'failed')
    expect(await days()).toEqual([
      { dayMs: START_MS, ok: 0, failed: 5, offlineSeconds: 86_400 },
      { dayMs: START_MS + 7 * DAY_MS, ok: 0, failed: 1, offlineSeconds: 3_600 },
    ])
  })

  test('are zero when the clock goes back', async () => {
    for (let index = 0; index < 5; index += 1) await check(START_MS + HOUR_MS, 'failed')
    await check(START_MS, 'failed')
    expect(await days()).toEqual([{ dayMs: START_MS, ok: 0, failed: 6, offlineSeconds: 0 }])
  })
})

test('uptime over 30 days equals the sum of all checks of today and the 29 days before', async () => {
  const outcomes: boolean[] = []
  for (let day = 0; day < 40; day += 1) {
    for (let hour = 0; hour < 24; hour += 8) {
      const passed = (day * 3 + hour / 8) % 7 !== 0 || day % 5 === 0
      outcomes.push(passed)
      await check(START_MS + day * DAY_MS + hour * HOUR_MS, passed ? 'passed' : 'failed')
    }
  }
  const newest = outcomes.slice(-90)
  const summary = await readHealthSummary(stage.database, 1, START_MS + 40 * DAY_MS)
  expect(summary?.uptime_30d).toBe(newest.filter(passed => passed).length / 90)
})

test('days are kept for 90 days, independent of hours', async () => {
  await stage.database.pool.query(
    `insert into agent_days (agent_id, day, ok, failed, offline_seconds)
     select 1, to_timestamp($1::float8 / 1000) - d * interval '24 hours', 1, 0, 0 from generate_series(0, 99) as d`,
    [START_MS],
  )
  expect(await pruneDays(stage.database, START_MS + HOUR_MS)).toBe(10)
  expect(await days(0)).toHaveLength(90)
})

describe('GET /v1/agents/:agentId/health/days', () => {
  const ask = async (path: string, nowMs: number) => {
    const routes = monitorRoutes({ ...stage.parts, clock: createManualClock(nowMs) })
    const app = createApp(stage.parts, routes)
    try {
      return await answersAsDocumented(app, routes)({ url: path })
    } finally {
      await app.close()
    }
  }

  test('shows the requested number of days, the last of which is today', async () => {
    for (let day = 0; day < 5; day += 1) await check(START_MS + day * DAY_MS, 'passed')
    const nowMs = START_MS + 4 * DAY_MS + HOUR_MS
    const answer = healthDays.parse((await ask('/v1/agents/1/health/days?days=2', nowMs)).json())
    const day = START_MS / 1_000
    expect(answer).toEqual({
      agent_id: 1,
      from: day + 3 * 86_400,
      to: nowMs / 1_000,
      days: [
        { at: day + 3 * 86_400, ok: 1, failed: 0, offline_seconds: 0 },
        { at: day + 4 * 86_400, ok: 1, failed: 0, offline_seconds: 0 },
      ],
    })
    expect((await ask('/v1/agents/1/health/days', nowMs)).json<HealthDays>().days).toHaveLength(5)
  })

  test('is empty before the first check, 404 for an agent that is not shown, 400 for more than 90 days', async () => {
    expect((await ask('/v1/agents/1/health/days', START_MS)).json<HealthDays>().days).toEqual([])
    expect((await ask('/v1/agents/1/health/days?days=91', START_MS)).statusCode).toBe(400)
    expect((await ask('/v1/agents/2/health/days', START_MS)).statusCode).toBe(404)
    await stage.database.pool.query(`update agents set standing = 'taken-down'`)
    expect((await ask('/v1/agents/1/health/days', START_MS)).statusCode).toBe(404)
  })
})
