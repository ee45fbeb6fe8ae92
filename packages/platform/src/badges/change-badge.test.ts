import { agentBadge } from '@farebox/platform-api/badges'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createApp } from '../app/create-app.ts'
import type { JobFault } from '../reputation/judge-fault.ts'
import { insertAgent } from '../test-setup/database/insert-agent.ts'
import { stagePlatform, type Stage } from '../test-setup/stage-platform.ts'
import { badgeRoutes } from './badge-routes.ts'
import { recomputeBadge } from './change-badge.ts'
import { computeDueBadges } from './compute-badges.ts'

const HOUR_MS = 3_600_000
const NOW_MS = Date.UTC(2027, 0, 1)
const OWNER = `0x${'a'.repeat(40)}`
const WALLET = `0x${'b'.repeat(40)}`

let stage: Stage

beforeEach(async () => {
  stage = await stagePlatform({ startMs: NOW_MS })
  await insertAgent(stage.database, { agentId: 1, owner: OWNER, wallet: WALLET, provenWallet: WALLET })
})

afterEach(() => stage.close())

/** Simulates this many watched days with six checks per hour; one check failed in each `failEvery`th hour. */
async function watchedDays(days: number, failEvery = 1_000_000): Promise<void> {
  await stage.database.pool.query(
    `insert into agent_health (agent_id, watched_since, due_at, last_ok_at) values
       (1, to_timestamp($1::float8 / 1000), 'infinity', to_timestamp($2::float8 / 1000))`,
    [NOW_MS - days * 24 * HOUR_MS, NOW_MS],
  )
  await stage.database.pool.query(
    `insert into agent_hours (agent_id, hour, ok, failed, latencies_ms)
     select 1, to_timestamp($1::float8 / 1000) - h * interval '1 hour',
       6 - (h % $3 = 0)::integer, (h % $3 = 0)::integer, '{}'
     from generate_series(1, $2::integer * 24 - 1) as h`,
    [NOW_MS, days, failEvery],
  )
}

interface Jobs {
  readonly count: number
  /** The number of different payers, starting with `firstPayer`. */
  readonly payers: number
  readonly firstPayer?: number
  /** A fixed payer instead of generated ones. */
  readonly payer?: string
  readonly kind?: string
  readonly state?: string
  readonly withoutTransfer?: boolean
  readonly undelivered?: boolean
  /** The recorded fault. */
  readonly fault?: JobFault
}

async function jobs(given: Jobs): Promise<void> {
  const { count, payers, firstPayer = 1, payer, kind = 'caller', state = 'completed' } = given
  await stage.database.pool.query(
    `insert into jobs (job_id, agent_id, capability, kind, payer, amount_atomic, state, error_type, created_at, expires_at,
       transaction, charged_without_delivery, fault)
     select gen_random_uuid(), 1, 'count', $4, coalesce($5, '0x' || lpad(to_hex($3::integer + n % $2::integer), 40, 'c')),
       10000, $6, $7, to_timestamp($8::float8 / 1000) - n * interval '1 second', to_timestamp($8::float8 / 1000), $9, $10, $11
     from generate_series(1, $1::integer) as n`,
    [
      count,
      payers,
      firstPayer,
      kind,
      payer ?? null,
      state,
      null,
      NOW_MS,
      state === 'completed' && given.withoutTransfer !== true ? `0x${'1'.repeat(64)}` : null,
      given.undelivered ?? false,
      given.fault ?? null,
    ],
  )
}

async function badge(): Promise<string> {
  await recomputeBadge(stage.parts, 1)
  const { rows } = await stage.database.pool.query<{ badge: string }>(
    'select badge from agents where agent_id = 1',
  )
  return rows[0]?.badge ?? ''
}

async function counted(): Promise<{ paidJobs: number; failedJobs: number; payers: number } | undefined> {
  await recomputeBadge(stage.parts, 1)
  const { rows } = await stage.database.pool.query<{
    inputs: { paidJobs: number; failedJobs: number; payers: number }
  }>('select inputs from agent_badges where agent_id = 1')
  return rows[0]?.inputs
}

test('D34 an agent climbs from none to gold as it proves itself', async () => {
  expect(await badge()).toBe('none')
  await watchedDays(6)
  expect(await badge()).toBe('verified')
  await stage.database.pool.query('delete from agent_health')
  await stage.database.pool.query('delete from agent_hours')
  await watchedDays(31)
  expect(await badge()).toBe('bronze')
  await jobs({ count: 100, payers: 10 })
  expect(await badge()).toBe('silver')
  await jobs({ count: 900, payers: 90, firstPayer: 11 })
  expect(await badge()).toBe('gold')
})

test('D34 one payer can neither earn a badge for an agent nor spoil it', async () => {
  await watchedDays(31)
  await jobs({ count: 5_000, payers: 1 })
  expect(await counted()).toMatchObject({ paidJobs: 10, payers: 1 })
  expect(await badge()).toBe('bronze')
  await jobs({ count: 400, payers: 40, firstPayer: 100 })
  await jobs({ count: 5_000, payers: 1, firstPayer: 500, state: 'failed', fault: 'agent' })
  expect(await counted()).toMatchObject({ paidJobs: 410, failedJobs: 10 })
  expect(await badge()).toBe('silver')
})

test('D34 jobs of the owner or the wallet, canary jobs, and unproven jobs are not counted', async () => {
  await jobs({ count: 20, payers: 1, payer: OWNER })
  await jobs({ count: 20, payers: 1, payer: WALLET })
  await jobs({ count: 20, payers: 20, kind: 'canary' })
  await jobs({ count: 20, payers: 20, withoutTransfer: true })
  await jobs({ count: 20, payers: 20, state: 'pending' })
  expect(await counted()).toMatchObject({ paidJobs: 0, failedJobs: 0, payers: 0 })
})

test("D43 only failures by the agent's fault count against it; the others are left out and reported", async () => {
  await jobs({ count: 1, payers: 1, firstPayer: 1, state: 'failed', fault: 'agent' })
  await jobs({ count: 1, payers: 1, firstPayer: 3, state: 'expired', fault: 'agent' })
  await jobs({ count: 1, payers: 1, firstPayer: 4, undelivered: true, fault: 'agent' })
  await jobs({ count: 7, payers: 7, firstPayer: 40, state: 'failed' })
  for (const fault of ['deadline', 'payer', 'refused', 'outage', 'unseen'] as const)
    await jobs({ count: 5, payers: 5, firstPayer: 50, state: 'failed', fault })
  expect(await counted()).toMatchObject({ paidJobs: 0, failedJobs: 3, payers: 0, leftOutJobs: 25 })
})

test('D34 uptime over seven days is decided to the single check', async () => {
  await watchedDays(8, 1)
  // One of six checks failed.
  expect(await badge()).toBe('verified')
  await stage.database.pool.query('delete from agent_health')
  await stage.database.pool.query('delete from agent_hours')
  await watchedDays(8, 2)
  expect(await badge()).toBe('bronze')
})

test('D34 a failing /about is tolerated for two refresh intervals after the last successful read', async () => {
  await watchedDays(31)
  expect(await badge()).toBe('bronze')
  const readAgo = async (ms: number): Promise<void> => {
    await stage.database.pool.query(
      `update agents set look_problem = 'about: is not JSON', refreshed_at = to_timestamp($1::float8 / 1000)`,
      [NOW_MS - ms],
    )
  }
  const twoIntervalsMs = 2 * stage.parts.settings.refreshIntervalMs
  await readAgo(twoIntervalsMs - 1)
  expect(await badge()).toBe('bronze')
  await readAgo(twoIntervalsMs)
  expect(await badge()).toBe('none')
  await stage.database.pool.query('update agents set look_problem = null')
  expect(await badge()).toBe('bronze')
})

test('D34 a warned agent is shown one badge lower, and a badge is written only when it changes', async () => {
  await watchedDays(31)
  await stage.database.pool.query('update agent_health set failures = 3')
  const row = async (): Promise<unknown> =>
    (await stage.database.pool.query('select xmin, badge, badge_shown from agents where agent_id = 1'))
      .rows[0]
  expect(await badge()).toBe('bronze')
  const before = await row()
  expect(before).toMatchObject({ badge: 'bronze', badge_shown: 'verified' })
  await recomputeBadge(stage.parts, 1)
  expect(await row()).toEqual(before)
})

test('due badges are computed, each again about a day later', async () => {
  await watchedDays(6)
  await stage.database.pool.query(
    `insert into agent_badges (agent_id, due_at) values (1, now() - interval '1 day')`,
  )
  expect(await computeDueBadges(stage.parts)).toBe(1)
  expect(await computeDueBadges(stage.parts)).toBe(0)
  const { rows } = await stage.database.pool.query<{ badge: string; hours: number }>(
    `select badge, (extract(epoch from due_at - now()) / 3600)::float8 as hours from agents join agent_badges using (agent_id)`,
  )
  expect(rows[0]?.badge).toBe('verified')
  expect(rows[0]?.hours).toBeGreaterThan(22.9)
  expect(rows[0]?.hours).toBeLessThan(25.1)
})

test('D34 the badge is shown with each rule, its value and the required value', async () => {
  await watchedDays(31)
  await jobs({ count: 50, payers: 10 })
  const app = createApp(stage.parts, badgeRoutes(stage.parts))
  const before = agentBadge.parse((await app.inject('/v1/agents/1/badge')).json())
  expect(before).toMatchObject({ badge: 'none', computed_at: null, jobs: { paid: 50, payers: 10 } })
  await recomputeBadge(stage.parts, 1)
  const after = agentBadge.parse((await app.inject('/v1/agents/1/badge')).json())
  expect(after).toMatchObject({ badge: 'bronze', badge_shown: 'bronze', computed_at: NOW_MS / 1_000 })
  expect(after.rules).toContainEqual({
    badge: 'silver',
    rule: 'paid-jobs',
    value: 50,
    needed: 100,
    passes: false,
  })
  expect((await app.inject('/v1/agents/2/badge')).statusCode).toBe(404)
  await stage.database.pool.query(`update agents set standing = 'taken-down'`)
  expect((await app.inject('/v1/agents/1/badge')).statusCode).toBe(404)
  await app.close()
})
