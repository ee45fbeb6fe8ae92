import type { PublicReceipts } from '@farebox/platform-api/public-receipts'
import { hashJobId } from '@farebox/platform-api/receipt'
import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createApp } from '../app/create-app.ts'
import { answersAsDocumented } from '../test-setup/answers-as-documented.ts'
import { insertAgent, sampleDeclaration } from '../test-setup/database/insert-agent.ts'
import { insertPaidJob, type PaidJob } from '../test-setup/database/insert-paid-job.ts'
import { openStorage } from '../storage/open-storage.ts'
import { stagePlatform, type Stage } from '../test-setup/stage-platform.ts'
import { readPublicReceipts } from './read-public-receipts.ts'
import { receiptsRoutes } from './receipts-routes.ts'

const MINUTE_MS = 60_000
const START_MS = Date.UTC(2027, 0, 1)
const PAYER = `0x${'c0ffee'.repeat(6)}c0ff`

let stage: Stage
let app: FastifyInstance
let ask: ReturnType<typeof answersAsDocumented>

beforeAll(async () => {
  stage = await stagePlatform({ startMs: START_MS })
  const routes = receiptsRoutes(stage.parts)
  app = createApp(stage.parts, routes, { requestsPerMinute: 100_000 })
  ask = answersAsDocumented(app, routes)
})
beforeEach(async () => {
  await stage.database.query('empty', 'truncate agents cascade')
  stage.clock.pass(10 * MINUTE_MS - (stage.clock.nowMs() % MINUTE_MS))
})
afterAll(async () => {
  await app.close()
  await stage.close()
})

/** Inserts a job that was paid this many seconds ago; 0 means now. */
async function pay(secondsAgo: number, job: Partial<PaidJob> = {}): Promise<string> {
  const finishedAtMs = stage.clock.nowMs() - secondsAgo * 1_000
  return await insertPaidJob(stage.database, { agentId: 1, payer: PAYER, finishedAtMs, ...job })
}

async function list(query = '', path = '/v1/receipts'): Promise<PublicReceipts> {
  const answer = await ask({ method: 'GET', url: `${path}?${query}` })
  expect(answer.statusCode, answer.body).toBe(200)
  return answer.json()
}

async function allPages(path?: string): Promise<readonly string[]> {
  const hashes: string[] = []
  for (let cursor = ''; ;) {
    const page = await list(`limit=7${cursor}`, path)
    hashes.push(...page.receipts.map(({ hash }) => hash))
    if (page.next_cursor === null) return hashes
    cursor = `&cursor=${page.next_cursor}`
  }
}

test('a paid job is listed with its agent, capability, amount and minute, and with nothing else', async () => {
  await insertAgent(stage.database)
  const jobId = await pay(125.5, { capability: 'draw', amountAtomic: 20_000n })
  const minute = Math.floor((stage.clock.nowMs() / 1_000 - 125.5) / 60) * 60
  const expected = {
    hash: await hashJobId(jobId),
    agent_id: 1,
    agent_name: 'Word counter',
    capability: 'draw',
    amount: '0.02',
    at: minute,
  }
  expect(await list()).toEqual({ receipts: [expected], next_cursor: null })
  expect(await list('', '/v1/agents/1/receipts')).toEqual({ receipts: [expected], next_cursor: null })
  const one = await ask({ method: 'GET', url: `/v1/receipts/${expected.hash}` })
  expect(one.json()).toEqual(expected)
})

test('a job that was not paid, not delivered, or is the platform’s own trial is in no list and has no receipt', async () => {
  await insertAgent(stage.database)
  const jobIds = [
    await pay(300, { kind: 'canary' }),
    await pay(300, { chargedWithoutDelivery: true }),
    await pay(300),
    await pay(300),
  ]
  await stage.database.pool.query(`update jobs set state = 'pending' where job_id = $1`, [jobIds[2]])
  await stage.database.pool.query('update jobs set transaction = null where job_id = $1', [jobIds[3]])
  expect((await list()).receipts).toEqual([])
  for (const jobId of jobIds) {
    const answer = await ask({ method: 'GET', url: `/v1/receipts/${await hashJobId(jobId)}` })
    expect(answer.statusCode).toBe(404)
  }
})

describe('the time when a job was paid', () => {
  test('is not revealed by the list before its minute is over; by its hash the job is found at once', async () => {
    await insertAgent(stage.database)
    stage.clock.pass(59_999)
    const jobId = await pay(0)
    await pay(59.999)
    expect((await list()).receipts).toEqual([])
    const answer = await ask({ method: 'GET', url: `/v1/receipts/${await hashJobId(jobId)}` })
    expect(answer.statusCode).toBe(200)
    stage.clock.pass(1)
    expect((await list()).receipts).toHaveLength(2)
  })

  test('is not revealed by the order within the minute, nor by the cursor', async () => {
    await insertAgent(stage.database)
    for (let second = 0; second < 30; second += 1) await pay(119 - second)
    const hashes = await allPages()
    expect(hashes).toHaveLength(30)
    expect(hashes).toEqual(hashes.toSorted().toReversed())
    const { next_cursor: cursor, receipts } = await list('limit=7')
    expect(cursor).toBe(`${receipts[6]?.at}-${receipts[6]?.hash}`)
  })
})

test('the pages contain every job once, the newest minute first, of all agents or of one', async () => {
  await insertAgent(stage.database)
  await insertAgent(stage.database)
  for (let job = 0; job < 40; job += 1) await pay(61 + job * 17, { agentId: 1 + (job % 2) })
  const all = await allPages()
  expect(new Set(all).size).toBe(40)
  const one = await allPages('/v1/agents/2/receipts')
  expect(new Set(one).size).toBe(20)
  expect(all.filter(hash => one.includes(hash))).toEqual(one)
  const { receipts } = await list('limit=100')
  const minutes = receipts.map(({ at }) => at)
  expect(minutes).toEqual([...minutes].sort((first, second) => second - first))
})

test('the texts of a taken-down agent are not shown, and it has no list of its own', async () => {
  await insertAgent(stage.database, { declaration: sampleDeclaration('0x1', { name: 'Bad\u202ename' }) })
  await pay(300)
  expect((await list()).receipts).toMatchObject([{ agent_name: 'Badname' }])
  await stage.database.pool.query(`update agents set standing = 'taken-down'`)
  expect((await list()).receipts).toMatchObject([{ agent_id: 1, agent_name: '', capability: '' }])
  const answers = [
    await ask({ method: 'GET', url: '/v1/agents/1/receipts' }),
    await ask({ method: 'GET', url: '/v1/agents/2/receipts' }),
  ]
  expect(answers.map(({ statusCode }) => statusCode)).toEqual([404, 404])
})

test.each([
  'cursor=1',
  `cursor=-1-${'a'.repeat(64)}`,
  `cursor=999999999999-${'a'.repeat(64)}`,
  `cursor=1-${'A'.repeat(64)}`,
  'limit=0',
  'limit=101',
])('refuses %s', async query => {
  expect((await ask({ method: 'GET', url: `/v1/receipts?${query}` })).statusCode).toBe(400)
})

test('refuses a hash that is not valid', async () => {
  expect((await ask({ method: 'GET', url: `/v1/receipts/${'A'.repeat(64)}` })).statusCode).toBe(400)
})

test('a page costs the same regardless of the number of jobs: it reads an index in order', async () => {
  await insertAgent(stage.database)
  await insertAgent(stage.database)
  await stage.database.pool.query(
    `insert into jobs (job_id, agent_id, capability, kind, payer, amount_atomic, state, created_at, expires_at, finished_at,
       transaction)
     select gen_random_uuid(), 1, 'count', 'caller', $1, 1, 'completed', now(), now(), $2::timestamptz - n * interval '1 second', '0x1'
     from generate_series(1, 20000) as n`,
    [PAYER, new Date(stage.clock.nowMs())],
  )
  await stage.database.pool.query('analyze jobs')
  // Only a connection itself can flush its own statistics, so the reads use a connection of their own.
  const { schema } = stage.database
  const database = await openStorage({ connectionString: stage.connectionString, connections: 1 })
  const rowsRead = async (): Promise<number> => {
    await database.pool.query('select pg_stat_force_next_flush()')
    const { rows } = await database.pool.query<{ read: string }>(
      `select seq_tup_read + idx_tup_fetch as read from pg_stat_user_tables where relname = 'jobs' and schemaname = $1`,
      [schema],
    )
    return Number(rows[0]?.read)
  }
  try {
    for (const agentId of [undefined, 1, 2]) {
      const before = await rowsRead()
      await readPublicReceipts(database, {
        agentId,
        limit: 20,
        nowMs: stage.clock.nowMs(),
      })
      const read = (await rowsRead()) - before
      expect(read).toBeLessThan(100)
      if (agentId !== 2) expect(read).toBeGreaterThan(20)
    }
  } finally {
    await database.pool.end()
  }
})
