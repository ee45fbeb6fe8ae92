import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { watchAgent } from '../agents/watch-agent.ts'
import type { PlatformParts } from '../platform-parts.ts'
import {
  createPretendChain,
  type PretendChain,
  type PretendEvent,
} from '../test-setup/network/pretend-chain.ts'
import { stagePlatform, type Stage } from '../test-setup/stage-platform.ts'
import type { AgentRow } from '../agents/agent-row.ts'
import { createRegistryFollower } from './chain/follow-registry.ts'
import { readAgent } from '../agents/read-agent.ts'

const OWNER = `0x${'a1'.repeat(20)}` as const
const BAD = 'https://bad.example'
const SET_ASIDE = 'what the registry contract has of it cannot be kept here: ask the operator'

let stage: Stage
let chain: PretendChain
let parts: PlatformParts
let errors: (readonly [string, unknown])[]

beforeAll(async () => {
  stage = await stagePlatform()
})

beforeEach(async () => {
  await query(
    'truncate agents, registry_events, followed_blocks, followed_contracts, registry_pending cascade',
  )
  chain = createPretendChain(stage.parts.settings.registryAddress)
  errors = []
  const log = {
    ...stage.parts.log,
    error: (...words: [string, unknown?]) => errors.push([words[0], words[1]]),
  }
  parts = { ...stage.parts, rpc: chain.rpc, log }
})

afterEach(async () => {
  for (const table of ['agents', 'registry_events', 'registry_pending'])
    await query(`alter table ${table} drop constraint if exists test_refuses`)
})

afterAll(() => stage.close())

const query = (text: string) => stage.database.pool.query(text)
const agent = (agentId: number): Promise<AgentRow | undefined> => readAgent(parts.database, agentId)
const registered = (agentId: number, endpoint = `https://a${agentId}.example`): PretendEvent => ({
  is: 'registered',
  agentId,
  owner: OWNER,
  endpoint,
})
const updated = (agentId: number, endpoint: string): PretendEvent => ({
  is: 'updated',
  agentId,
  owner: OWNER,
  endpoint,
})

/** Makes the database refuse rows, as a full index would. */
const refuse = (table: string, condition: string) =>
  query(`alter table ${table} add constraint test_refuses check (not (${condition})) not valid`)

async function catchUp(): Promise<number> {
  const follower = createRegistryFollower(parts)
  for (;;) {
    const pass = await follower.pass()
    if (pass.kind === 'up-to-date') return pass.blockNumber
  }
}

async function cursor(): Promise<number | undefined> {
  const { rows } = await stage.database.pool.query<{ block_number: string }>(
    'select block_number from followed_contracts',
  )
  return rows[0] && Number(rows[0].block_number)
}

/** Random characters, which the database cannot compress. */
function randomCharacters(count: number): string {
  let seed = 1
  const next = (): number => (seed = (seed * 48_271) % 2_147_483_647)
  return Array.from({ length: count }, () => String.fromCodePoint(0x4e00 + (next() % 20_000))).join('')
}

describe('an endpoint', () => {
  test('that is too long for an index once it is escaped has no URL, and the other agents are followed', async () => {
    const long = `https://a.example/${randomCharacters(670)}`
    chain.mine([registered(1, long), registered(2)], [updated(2, long)], [registered(3)], [], [])
    expect(await catchUp()).toBe(3)
    expect(await agent(1)).toMatchObject({ endpointOnChain: long, endpoint: undefined, standing: 'waiting' })
    expect(await agent(2)).toMatchObject({ endpointOnChain: long, endpoint: undefined })
    expect(await agent(3)).toMatchObject({ endpoint: 'https://a3.example' })
    expect(errors).toEqual([])
  })

  test.each<[string, string]>([
    ['a NUL character', 'https://a.example/\0'],
    ['half of a pair', 'https://a.example/\ud800'],
    ['pairs up to the last byte', `${'\u{1F600}'.repeat(511)}ab`],
    ['no character', '\uffff\ufffe\u{10ffff}'],
    ['a host of 600 characters of another script', `https://${randomCharacters(600)}.example`],
    ['an escaped NUL', 'https://a.example/%00'],
    ['escapes that are none', `https://a.example/${'%'.repeat(2_000)}`],
    ['quotes', `https://a.example/${'\'\\"$1;--'.repeat(100)}`],
    ['all that the contract takes', `https://a.example/${'a'.repeat(2_030)}`],
    ['more than the contract takes', `https://a.example/${'字'.repeat(10_000)}`],
    ['nothing', ''],
  ])('with %s is stored, and the other agents are followed', async (_, endpoint) => {
    chain.mine(
      [registered(1, endpoint), registered(2)],
      [updated(2, endpoint)],
      [registered(3, endpoint)],
      [],
    )
    await catchUp()
    chain.mine([], [])
    await catchUp()
    const standings = await Promise.all([1, 2, 3].map(async id => (await agent(id))?.standing))
    expect(standings).toEqual(['waiting', 'waiting', 'waiting'])
    expect(errors).toEqual([])
  })
})

describe('an agent whose row the database refuses', () => {
  test('is set aside for the operator, once, and the others are followed', async () => {
    await refuse('agents', `endpoint = '${BAD}'`)
    chain.mine([registered(1), registered(2, BAD), registered(3)], [], [])
    expect(await catchUp()).toBe(1)
    expect(await agent(1)).toMatchObject({ standing: 'waiting' })
    expect(await agent(2)).toMatchObject({
      standing: 'refused',
      standingReason: SET_ASIDE,
      endpoint: undefined,
      owner: OWNER,
      nextRefreshAtMs: undefined,
    })
    expect(await agent(3)).toMatchObject({ standing: 'waiting' })
    expect(errors).toEqual([
      [
        'agent set aside: the database refuses its data from the chain',
        { agent: 2, error: expect.stringContaining('test_refuses') },
      ],
    ])
    chain.mine([registered(4)], [], [])
    await catchUp()
    expect(errors).toHaveLength(1)
  })

  test('is tried again at its next event on the chain', async () => {
    await refuse('agents', `endpoint = '${BAD}'`)
    chain.mine([registered(1, BAD)], [], [])
    await catchUp()
    chain.mine([updated(1, 'https://good.example')], [], [])
    await catchUp()
    expect(await agent(1)).toMatchObject({
      standing: 'waiting',
      standingReason: undefined,
      endpoint: 'https://good.example',
      nextRefreshAtMs: parts.clock.nowMs(),
    })
  })

  test('is no longer listed or checked, and an agent that wanted its endpoint is inspected', async () => {
    await refuse('agents', `endpoint = '${BAD}'`)
    chain.mine([registered(1), registered(2, 'https://a1.example')], [], [])
    await catchUp()
    await query(
      `update agents set standing = 'listed', wallet = owner, proven_wallet = owner where agent_id = 1`,
    )
    await query(`update agents set standing = 'refused', next_refresh_at = null where agent_id = 2`)
    await stage.database.inTransaction(client => watchAgent(client, 1, parts.clock.nowMs()))
    chain.mine([updated(1, BAD)], [], [])
    await catchUp()
    expect(await agent(1)).toMatchObject({
      standing: 'refused',
      endpoint: undefined,
      provenWallet: undefined,
    })
    expect((await agent(2))?.nextRefreshAtMs).toBe(parts.clock.nowMs())
    const { rows } = await query(`select 1 from agent_health where agent_id = 1 and due_at < 'infinity'`)
    expect(rows).toEqual([])
  })

  test('stays taken down if it was', async () => {
    await refuse('agents', `endpoint = '${BAD}'`)
    chain.mine([registered(1)], [], [])
    await catchUp()
    await query(`update agents set standing = 'taken-down', standing_reason = 'spam'`)
    chain.mine([updated(1, BAD)], [], [])
    await catchUp()
    expect(await agent(1)).toMatchObject({
      standing: 'taken-down',
      standingReason: 'spam',
      endpoint: undefined,
    })
  })

  test('is left out when even that row is refused, and the log reports it', async () => {
    await refuse('agents', 'agent_id = 2')
    chain.mine([registered(1), registered(2), registered(3)], [], [])
    expect(await catchUp()).toBe(1)
    expect([await agent(1), await agent(3)]).toMatchObject([{ standing: 'waiting' }, { standing: 'waiting' }])
    expect(await agent(2)).toBeUndefined()
    expect(errors.map(([message]) => message)).toEqual([
      'agent set aside: the database refuses its data from the chain',
      'agent left out: the database refuses its row',
    ])
  })
})

test('an event that the database refuses hides only its agent, and a pending one hides none', async () => {
  await refuse('registry_events', `endpoint = '${BAD}'`)
  await refuse('registry_pending', `endpoint = '${BAD}'`)
  chain.mine([registered(1), registered(2)], [], [])
  await catchUp()
  chain.mine([updated(1, BAD), registered(3, BAD), registered(4)])
  await catchUp()
  const { rows } = await query('select agent_id::integer from registry_pending')
  expect(rows).toEqual([{ agent_id: 4 }])
  chain.mine([], [])
  expect(await catchUp()).toBe(4)
  expect(await agent(1)).toMatchObject({ standing: 'refused', standingReason: SET_ASIDE })
  expect(await agent(2)).toMatchObject({ standing: 'waiting' })
  expect(await agent(3)).toBeUndefined()
  expect(await agent(4)).toMatchObject({ standing: 'waiting' })
  expect(errors).toHaveLength(2)
})

describe('an unavailable database', () => {
  afterEach(() => query('drop trigger if exists test_away on agents'))

  test.each([
    ['is shut down', '57P01'],
    ['is too slow', '57014'],
    ['has no room left', '53100'],
    ['cannot be written to', '25006'],
    ['locked us out', '40P01'],
    ['has no such table yet', '42P01'],
    ['has lost its way', 'XX000'],
  ])('that %s skips no agent: the pass fails, and the next one succeeds', async (_, code) => {
    chain.mine([registered(1)], [], [])
    await catchUp()
    const before = await cursor()
    await query(
      `create or replace function test_away() returns trigger language plpgsql as
       $$ begin raise exception 'away' using errcode = '${code}'; end $$`,
    )
    await query('create trigger test_away before insert on agents execute function test_away()')
    chain.mine([registered(2), registered(3)], [], [])
    await expect(catchUp()).rejects.toThrow('away')
    expect(await cursor()).toBe(before)
    expect(errors).toEqual([])
    await query('drop trigger test_away on agents')
    await catchUp()
    expect([await agent(2), await agent(3)]).toMatchObject([{ standing: 'waiting' }, { standing: 'waiting' }])
  })

  test('that breaks the connection in the middle also skips no agent', async () => {
    chain.mine([registered(1)], [], [])
    await query(
      `create or replace function test_away() returns trigger language plpgsql as
       $$ begin perform pg_terminate_backend(pg_backend_pid()); return new; end $$`,
    )
    await query('create trigger test_away before insert on agents for each row execute function test_away()')
    await expect(catchUp()).rejects.toThrow()
    expect(await cursor()).toBe(-1)
    await query('drop trigger test_away on agents')
    await catchUp()
    expect(await agent(1)).toMatchObject({ standing: 'waiting' })
  })
})
