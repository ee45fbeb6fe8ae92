import { webhookNotice } from '@farebox/platform-api/monitor'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { insertAgent } from '../../test-setup/database/insert-agent.ts'
import { stagePlatform, type Stage } from '../../test-setup/stage-platform.ts'
import { announceLimits } from './announce-limits.ts'
import { setWebhook } from './webhooks.ts'

const OWNER = `0x${'1'.padStart(40, '0')}`
const OTHER = `0x${'2'.padStart(40, '0')}`
const URL = 'https://owner.example/notices'
const EIGHT = Date.UTC(2027, 0, 15, 8)
const DAY_MS = 86_400_000

let stage: Stage
beforeEach(async () => {
  stage = await stagePlatform()
  await stage.database.query('secret-owner', 'insert into secret_owners (owner) values ($1), ($2)', [
    OWNER,
    OTHER,
  ])
})
afterEach(() => stage.close())

async function watched(owner: string, url: string): Promise<number> {
  const { agentId } = await insertAgent(stage.database, { owner, badge: 'bronze' })
  await setWebhook(stage.database, agentId, { owner, url, nowMs: EIGHT })
  return agentId
}

async function announce(used: number, limit: number, nowMs = EIGHT, owner = OWNER): Promise<number> {
  const near = { owner, used, limit, exhaustedAt: used < limit ? nowMs / 1_000 + 7_200 : nowMs / 1_000 }
  return await announceLimits(stage.database, { owners: [near] }, nowMs)
}

async function notices(): Promise<readonly unknown[]> {
  const rows = await stage.database.query<{ body: string }>(
    'notices',
    'select body from webhook_deliveries order by created_at, agent_id',
  )
  return rows.map(({ body }) => webhookNotice.parse(JSON.parse(body)))
}

test("D41 an owner gets one notice when four fifths of today's settlements are used, and one when all are", async () => {
  const agentId = await watched(OWNER, URL)
  expect(await announce(80, 100)).toBe(1)
  expect(await announce(85, 100, EIGHT + 60_000)).toBe(0)
  expect(await announce(100, 100, EIGHT + 120_000)).toBe(1)
  expect(await announce(100, 100, EIGHT + 180_000)).toBe(0)
  const shared = {
    delivery_id: expect.any(String),
    agent_id: agentId,
    name: 'Word counter',
    consecutive_failures: 0,
    is_offline: false,
    badge: 'bronze',
  }
  const resets_at = Date.UTC(2027, 0, 16) / 1_000
  expect(await notices()).toEqual([
    {
      ...shared,
      event: 'owner.limit_near',
      at: EIGHT / 1_000,
      settlements: { used: 80, limit: 100, expected_at: EIGHT / 1_000 + 7_200, resets_at },
    },
    {
      ...shared,
      event: 'owner.limit_reached',
      at: EIGHT / 1_000 + 120,
      settlements: { used: 100, limit: 100, expected_at: null, resets_at },
    },
  ])
})

test('D41 a new day and a higher limit cause new notices, a lower limit does not', async () => {
  await watched(OWNER, URL)
  const told = [
    await announce(80, 100),
    await announce(800, 1_000),
    await announce(90, 100),
    await announce(90, 100, EIGHT + DAY_MS),
  ]
  expect(told).toEqual([1, 1, 0, 1])
})

test('D41 several processes that observe the same usage send one notice', async () => {
  await watched(OWNER, URL)
  const told = await Promise.all(Array.from({ length: 5 }, () => announce(80, 100)))
  expect(told.reduce((sum, one) => sum + one)).toBe(1)
})

test('D41 agents with the same webhook URL get one notice together, and other owners get none', async () => {
  const first = await watched(OWNER, URL)
  await watched(OWNER, URL)
  const third = await watched(OWNER, `${URL}/third`)
  await watched(OTHER, URL)
  expect(await announce(80, 100)).toBe(2)
  expect(await notices()).toMatchObject([{ agent_id: first }, { agent_id: third }])
})

test('D41 an owner without a webhook, or with a secret made elsewhere, gets no notice', async () => {
  await insertAgent(stage.database, { owner: OWNER })
  expect(await announce(80, 100)).toBe(0)
  const elsewhere = `0x${'3'.padStart(40, '0')}`
  await watched(elsewhere, URL)
  expect(await announce(80, 100, EIGHT, elsewhere)).toBe(0)
  expect(await announceLimits(stage.database, { owners: [] }, EIGHT)).toBe(0)
})
