import { until } from '@farebox/protocol/src/test-setup/until'
import { searchAnswer, type FoundAgent, type SearchAnswer } from '@farebox/platform-api/search'
import type { Capability } from '@farebox/protocol/declaration/declaration'
import type { FieldMap } from '@farebox/protocol/fields/field'
import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { watchAgent } from '../agents/watch-agent.ts'
import { createApp } from '../app/create-app.ts'
import { indexAgent } from '../listing/index-agent.ts'
import { leaseChecks } from '../monitor/lease-checks.ts'
import { writeChecks } from '../monitor/write-checks.ts'
import { answersAsDocumented } from '../test-setup/answers-as-documented.ts'
import { insertAgent, sampleDeclaration } from '../test-setup/database/insert-agent.ts'
import { insertPaidJob } from '../test-setup/database/insert-paid-job.ts'
import { stagePlatform, type Stage } from '../test-setup/stage-platform.ts'
import { createMatchCounter } from './count-matches.ts'
import type { Stage as SearchStage } from './search-conditions.ts'
import { readSearch } from './search.ts'
import { searchRoutes } from './search-routes.ts'

let stage: Stage
let app: FastifyInstance
let ask: ReturnType<typeof answersAsDocumented>

beforeAll(async () => {
  stage = await stagePlatform()
  const routes = searchRoutes(stage.parts)
  app = createApp(stage.parts, routes, { requestsPerMinute: 100_000 })
  ask = answersAsDocumented(app, routes)
})
beforeEach(async () => {
  await stage.database.query('empty', 'truncate agents, search_words cascade')
  // Clears cached counts and the caller's rate limit.
  stage.clock.pass(120_000)
})
afterAll(async () => {
  await app.close()
  await stage.close()
})

async function find(query = ''): Promise<SearchAnswer> {
  return searchAnswer.parse((await ask({ method: 'GET', url: `/v1/agents?${query}` })).json())
}

async function list(
  fields: Partial<Pick<Capability, 'input_schema' | 'output_schema'>> = {},
): Promise<number> {
  const wallet = `0x${'ab'.repeat(20)}`
  const declaration = sampleDeclaration(wallet)
  const { count } = declaration.capabilities
  if (count === undefined) throw new Error('the sample has a capability')
  const { agentId } = await insertAgent(stage.database, {
    owner: wallet,
    declaration: { ...declaration, capabilities: { count: { ...count, ...fields } } },
  })
  await index(agentId)
  return agentId
}

async function index(agentId: number): Promise<void> {
  await stage.database.inTransaction(client => indexAgent(client, agentId))
}

async function only(): Promise<FoundAgent> {
  const [agent] = (await find()).agents
  if (agent === undefined) throw new Error('nothing was found')
  return agent
}

test('an agent shows whether it is online, and the share of its checks that passed', async () => {
  const agentId = await list()
  expect(await only()).toMatchObject({ availability: 'waiting', uptime_30d: null })
  await stage.database.inTransaction(client => watchAgent(client, agentId, 0))
  let failures = 0
  const check = async (passes: boolean): Promise<void> => {
    const [lease] = await leaseChecks(stage.database, 1, { atMs: stage.clock.nowMs() })
    if (lease === undefined) throw new Error('nothing was due')
    failures = passes ? 0 : failures + 1
    const outcome = passes
      ? ({ kind: 'passed', latencyMs: 5 } as const)
      : ({ kind: 'failed', reason: 'unreachable' } as const)
    await writeChecks(stage.database, [{ lease, failures, dueMs: 0, outcome }])
  }
  for (let index = 0; index < 3; index += 1) await check(true)
  expect(await only()).toMatchObject({ availability: 'online', uptime_30d: 1 })
  await check(false)
  expect(await only()).toMatchObject({ availability: 'online', uptime_30d: 0.75 })
  for (let index = 0; index < 4; index += 1) await check(false)
  expect(await only()).toMatchObject({ availability: 'offline', uptime_30d: 0.375 })
})

test('an agent shows how long its jobs take, from the newest ten of each payer, without its own and unpaid ones', async () => {
  const agentId = await list()
  expect(await only()).toMatchObject({ job_p50_ms: null })
  const paid = async (elapsedMs: number, payer: string, more = {}): Promise<void> => {
    stage.clock.pass(1_000)
    const job = { agentId, elapsedMs, payer, finishedAtMs: stage.clock.nowMs(), ...more }
    await insertPaidJob(stage.database, job)
  }
  const payers = ['1', '2'].map(digit => `0x${digit.repeat(40)}`)
  for (let job = 0; job < 20; job += 1) await paid(9, payers[0] ?? '')
  for (let job = 0; job < 10; job += 1) await paid(2_000, payers[0] ?? '')
  for (let job = 0; job < 11; job += 1) await paid(3_000, payers[1] ?? '')
  for (let job = 0; job < 30; job += 1) await paid(1, `0x${'ab'.repeat(20)}`)
  for (let job = 0; job < 30; job += 1) await paid(1, payers[job % 2] ?? '', { chargedWithoutDelivery: true })
  for (let job = 0; job < 30; job += 1) await paid(1, payers[job % 2] ?? '', { kind: 'canary' })
  await index(agentId)
  expect(await only()).toMatchObject({ job_p50_ms: 2_000 })
})

describe('fields of a capability', () => {
  test('are shown in declared order with their type and whether they are required, for inputs and outputs', async () => {
    await list({
      input_schema: {
        text: { type: 'string', required: true },
        language: { type: 'string' },
        a: { type: 'object', properties: { b: { type: 'string' } } },
      },
      output_schema: { words: { type: 'array' }, note: { type: 'string', required: false } },
    })
    expect((await only()).capabilities).toEqual([
      {
        name: 'count',
        price: '0.01',
        takes: [
          { name: 'text', type: 'string', required: true },
          { name: 'language', type: 'string', required: false },
          { name: 'a', type: 'object', required: false },
        ],
        takes_count: 3,
        gives: [
          { name: 'words', type: 'array', required: true },
          { name: 'note', type: 'string', required: false },
        ],
        gives_count: 2,
      },
    ])
  })

  test('are limited to eight, with their number, and their names are sanitized', async () => {
    const input_schema: FieldMap = Object.fromEntries(
      Array.from({ length: 100 }, (_, index) => [`f\u202e${index}${'x'.repeat(200)}`, { type: 'integer' }]),
    )
    await list({ input_schema, output_schema: {} })
    const [shown] = (await only()).capabilities
    expect(shown).toMatchObject({ takes_count: 100, gives: [], gives_count: 0 })
    expect(shown?.takes).toHaveLength(8)
    expect(shown?.takes.every(({ name }) => name.length <= 64 && !name.includes('\u202e'))).toBe(true)
  })

  test('follow the declaration', async () => {
    const agentId = await list()
    const declaration = sampleDeclaration('0x1')
    const count = { ...declaration.capabilities['count'], input_schema: { link: { type: 'string' } } }
    await stage.database.query('change', 'update agents set declaration = $1', [
      JSON.stringify({ ...declaration, capabilities: { count } }),
    ])
    await index(agentId)
    const [shown] = (await only()).capabilities
    expect(shown?.takes).toEqual([{ name: 'link', type: 'string', required: false }])
  })
})

describe('the total of a search', () => {
  const fill = async (count: number): Promise<void> => {
    await list()
    await stage.database.query(
      'fill',
      `insert into agents (agent_id, endpoint_on_chain, owner, stake_wei, registered_block, registered_transaction,
         registered_at, standing, standing_since, name)
       select n, '', owner, 1, 1, '', now(), 'listed', now(), 'Other' from agents, generate_series(2, $1::int) as n
       where agent_id = 1`,
      [count],
    )
    await stage.database.query(
      'fill-entries',
      `insert into search_entries
       select n, n, 'other', 'other'::tsvector, 'other'::tsvector,
         case when n % 2 = 0 then 'common other'::tsvector else 'other'::tsvector end, '{}', false, 0, 0, 0, 0, '{}'
       from generate_series(2, $1::int) as n`,
      [count],
    )
    await stage.database.query('analyze', 'analyze search_entries')
  }

  test('is exact when few match, with words, with filters and with neither', async () => {
    await list()
    await list()
    expect((await find('limit=1')).total).toEqual({ count: 2, at_least: false })
    expect((await find('q=words&limit=1')).total).toEqual({ count: 2, at_least: false })
    expect((await find('q=wordz')).total).toEqual({ count: 2, at_least: false })
    expect((await find('takes=string:text')).total).toEqual({ count: 2, at_least: false })
    expect((await find('q=nothing')).total).toEqual({ count: 0, at_least: false })
    expect((await find('q=%2B')).total).toEqual({ count: 0, at_least: false })
  })

  /** Repeats the query until it has been counted, a minute later each time when a busy database took too long. */
  const totalOf = async (query: string): Promise<SearchAnswer['total']> =>
    await until(async () => {
      const { total } = await find(query)
      if (total === null) stage.clock.pass(60_000)
      return total
    })

  test('is counted once a minute, and not on later pages', async () => {
    await fill(1_800)
    expect(await totalOf('q=common&limit=1')).toEqual({ count: 900, at_least: false })
    await stage.database.query(
      'one-more',
      `update search_entries set all_words = 'common other'::tsvector where agent_id = 3`,
    )
    const first = await find('q=common&limit=2')
    expect(first.total).toEqual({ count: 900, at_least: false })
    stage.clock.pass(60_000)
    expect(await totalOf('q=common&limit=2')).toEqual({ count: 901, at_least: false })
    expect((await find(`q=common&limit=2&cursor=${first.next_cursor}`)).total).toBeNull()
  })

  test('stops at a limit when many match, as the answer states', async () => {
    await fill(12_000)
    expect(await totalOf('')).toEqual({ count: 10_000, at_least: true })
    expect(await totalOf('q=common')).toEqual({ count: 1_000, at_least: true })
    expect(await totalOf('q=common&capability=count')).toEqual({ count: 0, at_least: false })
  })

  test('does not delay the search, and is not counted again for a minute after a timeout', async () => {
    await fill(3)
    const counter = createMatchCounter(stage.database, stage.clock)
    const sleeping = (seconds: number): readonly SearchStage[] => {
      const matches = (): string => `pg_sleep(${seconds}) is not null`
      return [{ number: 0, matches, matchesFirst: matches, needs: [], isInOrder: false }]
    }
    const search = readSearch({ q: 'x' })
    const [quick, long] = [sleeping(0), sleeping(10)]
    expect(counter.count(search, long)).toBeUndefined()
    // One count at a time.
    expect(counter.count(search, quick)).toBeUndefined()
    const counted = await until(() => {
      const total = counter.count(search, quick)
      if (total === undefined) stage.clock.pass(60_000)
      return total
    })
    expect(counted).toMatchObject({ count: 3 })
    // This one is known to take too long, so it does not delay the next.
    expect(counter.count(search, long)).toBeUndefined()
    const other = sleeping(0.000_1)
    expect(counter.count(search, other)).toBeUndefined()
    await expect.poll(() => counter.count(search, other)).toMatchObject({ count: 3 })
  })
})

test('a user who types can search ten times a second', async () => {
  // Refused requests count as well.
  const search = async (): Promise<number> =>
    (await ask({ method: 'GET', url: '/v1/agents?sort=x' })).statusCode
  for (let asked = 0; asked < 600; asked += 1) expect(await search()).toBe(400)
  expect(await search()).toBe(429)
})
