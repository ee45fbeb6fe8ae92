import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { PlatformParts } from '../../platform-parts.ts'
import { dyingAfter } from '../../test-setup/database/dying-database.ts'
import {
  createPretendChain,
  type PretendChain,
  type PretendEvent,
} from '../../test-setup/network/pretend-chain.ts'
import { stagePlatform, type Stage } from '../../test-setup/stage-platform.ts'
import type { AgentRow } from '../../agents/agent-row.ts'
import { lockAgent } from '../../agents/lock-agents.ts'
import { createRegistryFollower } from './follow-registry.ts'
import type { FollowContractOptions } from '../../contract-events/follow-contract.ts'
import { readAgent } from '../../agents/read-agent.ts'

const OWNER = `0x${'a1'.repeat(20)}` as const
const OTHER = `0x${'b2'.repeat(20)}` as const

let stage: Stage
let chain: PretendChain
let parts: PlatformParts

beforeAll(async () => {
  stage = await stagePlatform()
})

beforeEach(async () => {
  await stage.database.pool.query(
    'truncate agents, registry_events, followed_blocks, followed_contracts, registry_pending cascade',
  )
  chain = createPretendChain(stage.parts.settings.registryAddress)
  parts = { ...stage.parts, rpc: chain.rpc }
})

afterAll(() => stage.close())

const registered = (
  agentId: number,
  endpoint = `https://a${agentId}.example`,
  owner = OWNER,
): PretendEvent => ({
  is: 'registered',
  agentId,
  owner,
  endpoint,
})
const follow = (options: FollowContractOptions = {}) => createRegistryFollower(parts, options)
const agent = (agentId: number): Promise<AgentRow | undefined> => readAgent(parts.database, agentId)
const count = async (table: string): Promise<number> => {
  const { rows } = await parts.database.pool.query<{ count: string }>(`select count(*) from ${table}`)
  return Number(rows[0]?.count)
}

/** Follows the chain until no further events are confirmed. */
async function catchUp(follower = follow()): Promise<number> {
  for (let passes = 0; passes < 1_000; passes += 1) {
    const pass = await follower.pass()
    if (pass.kind === 'up-to-date') return pass.blockNumber
  }
  throw new Error('the follower does not come to an end')
}

describe('registrations', () => {
  test('D36 count once they have enough confirmations, not before', async () => {
    chain.mine([registered(1, 'https://A1.example:443/')], [])
    await catchUp()
    expect(await agent(1)).toBeUndefined()
    expect(await count('registry_pending')).toBe(1)
    chain.mine([])
    await catchUp()
    expect(await agent(1)).toMatchObject({
      agentId: 1,
      standing: 'waiting',
      owner: OWNER,
      stakeWei: 10n ** 15n,
      registeredBlock: 1,
      endpointOnChain: 'https://A1.example:443/',
      endpoint: 'https://a1.example',
    })
    expect(await count('registry_pending')).toBe(0)
  })

  test('an endpoint that the platform would not call is stored unchanged and has no canonical form', async () => {
    chain.mine([registered(1, "'; drop table agents; --\0")], [], [])
    await catchUp()
    expect(await agent(1)).toMatchObject({
      endpointOnChain: "'; drop table agents; --\uFFFD",
      endpoint: undefined,
      standing: 'waiting',
    })
  })

  test('a new endpoint, a new owner and the return of the stake are followed, in one range or several', async () => {
    const life: readonly (readonly PretendEvent[])[] = [
      [registered(1), registered(2)],
      [{ is: 'updated', agentId: 1, owner: OWNER, endpoint: 'https://new.example' }],
      [{ is: 'moved', agentId: 1, owner: OWNER, to: OTHER }],
      [{ is: 'deregistered', agentId: 2, owner: OWNER }],
    ]
    chain.mine(...life, [], [])
    await catchUp(follow({ maxBlocks: 1 }))
    const one = await agent(1)
    expect(one).toMatchObject({ endpoint: 'https://new.example', owner: OTHER, standing: 'waiting' })
    expect(await agent(2)).toMatchObject({ standing: 'deregistered', nextRefreshAtMs: undefined })
    await parts.database.pool.query(
      'truncate agents, registry_events, followed_blocks, followed_contracts cascade',
    )
    await catchUp()
    expect(await agent(1)).toEqual(one)
    expect(await agent(2)).toMatchObject({ standing: 'deregistered' })
  })

  test('events that were read are not applied again, even after an inspection has changed the agent', async () => {
    chain.mine([registered(1)], [], [])
    await catchUp()
    await parts.database.pool.query(
      `update agents set standing = 'listed', wallet = owner, proven_wallet = owner`,
    )
    chain.mine([registered(2)], [], [])
    await catchUp()
    expect(await agent(1)).toMatchObject({ standing: 'listed', provenWallet: OWNER })
  })
})

describe('a proven agent', () => {
  beforeEach(async () => {
    chain.mine([registered(1)], [], [])
    await catchUp()
    await parts.database.pool.query(
      `update agents set standing = 'listed', wallet = owner, proven_wallet = owner, next_refresh_at = null`,
    )
  })

  test('D36 with another owner stays listed without its proof, and is due for inspection', async () => {
    chain.mine([{ is: 'moved', agentId: 1, owner: OWNER, to: OTHER }], [], [])
    await catchUp()
    expect(await agent(1)).toMatchObject({
      standing: 'listed',
      owner: OTHER,
      wallet: OWNER,
      provenWallet: undefined,
      nextRefreshAtMs: parts.clock.nowMs(),
    })
  })

  test('REG-01 at another endpoint waits for a new inspection', async () => {
    chain.mine([{ is: 'updated', agentId: 1, owner: OWNER, endpoint: 'https://victim.example' }], [], [])
    await catchUp()
    expect(await agent(1)).toMatchObject({ standing: 'waiting', provenWallet: undefined })
  })

  test('that the operator took down stays taken down at another endpoint', async () => {
    await parts.database.pool.query(`update agents set standing = 'taken-down', standing_reason = 'spam'`)
    chain.mine([{ is: 'updated', agentId: 1, owner: OWNER, endpoint: 'https://new.example' }], [], [])
    await catchUp()
    expect(await agent(1)).toMatchObject({
      standing: 'taken-down',
      standingReason: 'spam',
      endpoint: 'https://new.example',
      nextRefreshAtMs: undefined,
    })
  })

  test('that deregisters makes others at its endpoint due', async () => {
    chain.mine([registered(2, 'https://a1.example', OTHER)], [], [])
    await catchUp()
    await parts.database.pool.query(
      `update agents set standing = 'refused', next_refresh_at = null where agent_id = 2`,
    )
    chain.mine([{ is: 'deregistered', agentId: 1, owner: OWNER }], [], [])
    await catchUp()
    expect((await agent(2))?.nextRefreshAtMs).toBe(parts.clock.nowMs())
  })

  test('that deregisters is locked after a lower number that wants its endpoint, as in an inspection there', async () => {
    chain.mine([registered(3, 'https://a1.example', OTHER)], [], [])
    await catchUp()
    await parts.database.pool.query(`update agents set standing = 'refused' where agent_id = 1`)
    chain.mine([{ is: 'deregistered', agentId: 3, owner: OTHER }], [], [])
    const { following } = await parts.database.inTransaction(async looking => {
      const { rows } = await looking.query<{ pid: number }>('select pg_backend_pid() as pid')
      await lockAgent(looking, 1)
      const following = catchUp()
      await someoneWaitsFor(rows[0]?.pid)
      await lockAgent(looking, 3)
      return { following }
    })
    await following
    expect(await agent(3)).toMatchObject({ standing: 'deregistered' })
    expect((await agent(1))?.nextRefreshAtMs).toBe(parts.clock.nowMs())
  })
})

async function someoneWaitsFor(pid: number | undefined): Promise<void> {
  const waiting = 'select from pg_stat_activity where $1::int = any(pg_blocking_pids(pid))'
  for (;;) {
    const { rowCount } = await parts.database.pool.query(waiting, [pid])
    if (rowCount !== 0) return
  }
}

describe('REG-02 a chain that is reorganized', () => {
  test('within the unconfirmed blocks unlists no agent', async () => {
    chain.mine([registered(1)], [], [], [])
    await catchUp()
    chain.drop(2)
    chain.mine([], [], [])
    await catchUp()
    expect(await agent(1)).toMatchObject({ standing: 'waiting' })
  })

  test('deeper than that is read again: events of abandoned blocks are undone, events of new blocks apply', async () => {
    chain.mine([registered(1)], [], [])
    await catchUp()
    chain.mine([registered(2), registered(3)], [], [], [])
    await catchUp()
    chain.drop(5)
    chain.mine([], [registered(2, 'https://other.example', OTHER)], [], [], [])
    await catchUp()
    expect(await agent(1)).toMatchObject({ standing: 'waiting' })
    expect(await agent(2)).toMatchObject({
      standing: 'waiting',
      owner: OTHER,
      endpoint: 'https://other.example',
    })
    expect(await agent(3)).toMatchObject({
      standing: 'deregistered',
      standingReason: 'its registration is not on the chain any more',
    })
  })

  test('down to before the first block with an event is also read again', async () => {
    chain.mine([registered(1)], [], [])
    await catchUp()
    chain.drop(3)
    chain.mine([], [registered(1, 'https://b.example')], [], [], [])
    await catchUp()
    expect(await agent(1)).toMatchObject({
      endpoint: 'https://b.example',
      registeredBlock: 2,
      standing: 'waiting',
    })
  })

  test('and contains the same registration again changes nothing', async () => {
    chain.mine([registered(1)], [], [])
    await catchUp()
    const before = await agent(1)
    chain.drop(3)
    chain.mine([registered(1)], [], [])
    await catchUp()
    expect(await agent(1)).toEqual(before)
  })

  test('to fewer blocks than were read is waited for, and accepted after half a minute', async () => {
    chain.mine([registered(1)], [], [])
    const follower = follow()
    await catchUp(follower)
    chain.drop(3)
    await catchUp(follower)
    expect(await agent(1)).toMatchObject({ standing: 'waiting' })
    stage.clock.pass(30_000)
    await catchUp(follower)
    expect(await agent(1)).toMatchObject({ standing: 'deregistered' })
  })

  test('while it was read is read again, so that every log belongs to the chain of the hash stored with it', async () => {
    chain.mine([registered(1)], [], [])
    chain.fail = method => {
      if (method !== 'eth_getLogs') return
      chain.fail = () => undefined
      chain.drop(3)
      chain.mine([registered(1, 'https://late.example')], [], [])
    }
    await expect(follow().pass()).rejects.toThrow('was rewritten while')
    expect(await count('agents')).toBe(0)
    await catchUp()
    expect(await agent(1)).toMatchObject({ endpoint: 'https://late.example' })
  })
})

describe('REG-02 a node', () => {
  test('on another chain is not followed', async () => {
    chain.chainId = 1
    chain.mine([registered(1)], [], [])
    await expect(follow().pass()).rejects.toThrow('the node is on chain 1, the platform on eip155:84532')
    expect(await count('agents')).toBe(0)
  })

  test('without the contract is not followed', async () => {
    parts = { ...parts, settings: { ...parts.settings, registryAddress: OTHER } }
    await expect(follow().pass()).rejects.toThrow('there is no contract at')
  })

  test('that knows none of the blocks that were read unlists no agent', async () => {
    chain.mine([registered(1)], [], [])
    const follower = follow()
    await catchUp(follower)
    const stranger = createPretendChain(parts.settings.registryAddress)
    stranger.drop(1)
    stranger.mine(...Array.from({ length: 9 }, () => []))
    parts = { ...parts, rpc: stranger.rpc }
    await expect(follow().pass()).rejects.toThrow('it is on another chain')
    expect(await agent(1)).toMatchObject({ standing: 'waiting' })
  })

  test('of another registry than the one of the database is refused', async () => {
    await catchUp()
    await parts.database.pool.query(`update followed_contracts set address = '${OTHER}'`)
    await expect(follow().pass()).rejects.toThrow(`this database follows the registry ${OTHER}`)
  })

  test('that refuses large ranges gets requests for smaller ones, in the same pass', async () => {
    chain.maxRange = 3
    chain.mine(...Array.from({ length: 20 }, (_, index) => [registered(index + 1)]), [], [])
    const follower = follow()
    await catchUp(follower)
    expect(await count('agents')).toBe(20)
  })

  test.each<[string, unknown]>([
    ['no list', {}],
    ['logs that are none', [{ address: '', topics: 1 }, null]],
    ['a log of another contract', [{ address: OTHER, topics: [], data: '0x', blockNumber: '0x1' }]],
  ])('that returns %s registers no agent', async (_, logs) => {
    chain.mine([registered(1)], [], [])
    const { call } = chain.rpc
    const lying = {
      ...chain.rpc,
      call: (method: string, parameters: readonly unknown[]) => {
        return method === 'eth_getLogs' ? Promise.resolve(logs) : call(method, parameters)
      },
    }
    parts = { ...parts, rpc: lying }
    await follow()
      .pass()
      .catch(() => undefined)
    expect(await count('agents')).toBe(0)
  })
})

describe('several workers', () => {
  test('together read each block once and lose none', async () => {
    chain.mine(...Array.from({ length: 60 }, (_, index) => [registered(index + 1)]), [], [])
    const other = await stage.anotherWorker({ rpc: chain.rpc })
    const options = { maxBlocks: 5 }
    const followers = [createRegistryFollower(parts, options), createRegistryFollower(other, options)]
    await Promise.all(followers.map(follower => catchUp(follower)))
    expect(await count('agents')).toBe(60)
    expect(await count('registry_events')).toBe(60)
    const ranges = chain.calls.filter(call => call.startsWith('eth_getLogs') && !call.includes('0x3e'))
    expect(new Set(ranges).size).toBe(ranges.length)
  })

  test('need not read when another has just read', async () => {
    const options = { intervalMs: 1_000 }
    expect((await follow(options).pass()).kind).toBe('up-to-date')
    expect((await follow(options).pass()).kind).toBe('busy')
    stage.clock.pass(1_000)
    expect((await follow(options).pass()).kind).toBe('up-to-date')
  })
})

test('a worker that dies at any statement has changed nothing, and the next one does everything', async () => {
  chain.mine([registered(1), registered(2)], [], [])
  await catchUp()
  await parts.database.pool.query(
    `update agents set standing = 'listed', wallet = owner, proven_wallet = owner`,
  )
  chain.mine(
    [{ is: 'updated', agentId: 1, owner: OWNER, endpoint: 'https://new.example' }, registered(3)],
    [{ is: 'deregistered', agentId: 2, owner: OWNER }],
    [],
    [],
  )
  const tables = ['agents', 'registry_events', 'followed_blocks', 'followed_contracts', 'registry_pending']
  const dump = async (): Promise<unknown> => {
    const rows = await Promise.all(
      tables.map(table => parts.database.pool.query(`select * from ${table} order by 1, 2`)),
    )
    return rows.map(result => result.rows)
  }
  const before = await dump()
  let survived = 0
  for (let statements = 0; statements < 200; statements += 1) {
    const dying = { ...parts, database: dyingAfter(parts.database, statements) }
    const died = await createRegistryFollower(dying)
      .pass()
      .then(
        () => false,
        () => true,
      )
    if (!died) break
    survived += 1
    expect(await dump(), `after ${statements} statements`).toEqual(before)
  }
  // The cursor, events, rows, watch and index: many statements at which the worker can die.
  expect(survived).toBeGreaterThan(20)
  expect(await agent(1)).toMatchObject({ standing: 'waiting', endpoint: 'https://new.example' })
  expect(await agent(2)).toMatchObject({ standing: 'deregistered' })
  expect(await agent(3)).toMatchObject({ standing: 'waiting' })
})

describe('a chain that produces no blocks', () => {
  test('is not read again for a while, but its next block at once', async () => {
    const asked: string[] = []
    const rpc = {
      ...chain.rpc,
      call: (method: string, parameters: readonly unknown[]) => {
        asked.push(method)
        return chain.rpc.call(method, parameters)
      },
    }
    let nowMs = Date.now()
    const clock = { ...parts.clock, nowMs: () => nowMs }
    const follower = createRegistryFollower({ ...parts, rpc, clock }, { sameHeadMs: 10_000 })
    chain.mine([registered(1)], [], [])
    await catchUp(follower)
    asked.length = 0
    const idle = await follower.pass()
    expect(asked).toEqual(['eth_getBlockByNumber'])
    expect(idle.kind).toBe('up-to-date')

    chain.mine([registered(2)], [], [])
    await catchUp(follower)
    expect((await agent(2))?.agentId).toBe(2)

    asked.length = 0
    nowMs += 10_000
    await follower.pass()
    expect(asked.length).toBeGreaterThan(1)
  })
})
