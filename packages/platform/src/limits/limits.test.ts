import { SPEND_PERMISSIONS_ADDRESS } from '@farebox/contracts/addresses'
import { callAnvil } from '@farebox/local/src/chain/anvil-rpc'
import { fund } from '@farebox/local/chain/faucet'
import { startChain, type LocalChain } from '@farebox/local/chain/start-chain'
import {
  encode,
  idOf,
  keyOf,
  OWNER,
  permissionOf,
  permissionStage,
  SHOP,
  SPENDER,
  STRANGER,
  type PermissionStage,
} from '@farebox/local/src/testing/permission-stage'
import { JsonRpcError, type JsonRpc } from '@farebox/payments/chain/json-rpc'
import { createJsonRpc } from '@farebox/payments/chain/json-rpc-pool'
import type { TokenApprovals, WalletLimits, WalletSpends } from '@farebox/platform-api/limits/wallet-limits'
import type { FastifyInstance } from 'fastify'
import { keccak256, toBytes } from 'viem'
import { namesSpender } from '@farebox/payments/src/test-setup/names-spender'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createApp } from '../app/create-app.ts'
import type { PlatformParts } from '../platform-parts.ts'
import { startSite, type AgentSite } from '../test-setup/network/agent-site.ts'
import { answersAsDocumented } from '../test-setup/answers-as-documented.ts'
import { insertAgent, sampleDeclaration } from '../test-setup/database/insert-agent.ts'
import { stagePlatform, type Stage } from '../test-setup/stage-platform.ts'
import { createPermissionFollower } from './follow-permissions.ts'
import { limitsRoutes } from './limits-routes.ts'

const PERMISSION = permissionOf({ limit: 2_000_000n, cap: 10_000_000n })
const ENDLESS = 2n ** 256n - 1n
const SPENDS = {
  type: 'EXECUTE_TRANSACTIONS',
  reason: 'Pays.',
  token: 'USDC',
  max_per_transaction: '5.00',
} as const

let chain: LocalChain
let stage: Stage
let node: JsonRpc
let parts: PlatformParts
let app: FastifyInstance
let ask: ReturnType<typeof answersAsDocumented>
let permissions: PermissionStage
let untouched: string
/** Answers in place of the node when it returns a value; may throw. */
let lie: (method: string, parameters: readonly unknown[]) => unknown

beforeAll(async () => {
  chain = await startChain()
  permissions = permissionStage(chain)
  node = createJsonRpc(chain.rpcUrl)
  const rpc: JsonRpc = {
    call: async (method, parameters, options) =>
      lie(method, parameters) ?? (await node.call(method, parameters, options)),
    close: () => node.close(),
  }
  stage = await stagePlatform({ realTime: true, rpc })
  parts = stage.parts
  app = createApp(parts, limitsRoutes(parts))
  await app.ready()
  ask = answersAsDocumented(app, limitsRoutes(parts))
  await fund(chain, OWNER, { usdcAtomic: 100_000_000n })
})
beforeEach(async () => {
  lie = () => undefined
  untouched = await permissions.snapshot()
  await stage.database.pool.query(
    'truncate agents, permission_events, followed_contracts, followed_blocks cascade',
  )
})
afterEach(() => permissions.restore(untouched))
afterAll(async () => {
  await app.close()
  await stage.close()
  await node.close()
  await chain.stop()
})

async function follow(follower = createPermissionFollower(parts)): Promise<void> {
  for (let passes = 0; passes < 1_000; passes += 1) if ((await follower.pass()).kind === 'up-to-date') return
  throw new Error('the follower does not come to an end')
}

async function get<T>(path: string): Promise<T> {
  const answer = await ask({ method: 'GET', url: `/v1/limits/${OWNER}${path}` })
  expect(answer.statusCode, answer.body).toBe(200)
  return JSON.parse(answer.body) as T
}
const limits = (): Promise<WalletLimits> => get('')

/** The ref that the agent's runtime creates from a job and the index of the spend in it. */
function refOf(jobId: string, index: number): bigint {
  return ((BigInt(keccak256(toBytes(jobId))) >> 8n) << 8n) | BigInt(index)
}

describe('the permissions of a wallet', () => {
  test('are shown as they were set, with the amounts spent and left, and the approval behind them', async () => {
    await insertAgent(stage.database, { agentId: 7 })
    await permissions.approve(OWNER, 10_000_000n)
    await permissions.set({ ...PERMISSION, recipients: [SHOP] })
    await permissions.spend(PERMISSION, { amount: 1_500_000n, to: SHOP })
    await follow()
    const { permissions: all, ...shown } = await limits()
    expect(shown).toMatchObject({
      address: OWNER.toLowerCase(),
      token: { symbol: 'USDC', address: chain.usdc.toLowerCase(), decimals: 6 },
      allowance: '8500000',
      total_left: '8500000',
      balance: '98500000',
      permit: { name: 'USDC', version: '2', nonce: '0' },
    })
    expect(all).toEqual([
      {
        id: idOf(PERMISSION),
        spender: SPENDER.toLowerCase(),
        token: chain.usdc.toLowerCase(),
        scope: keyOf(PERMISSION).scope,
        agent_id: '7',
        agent_name: 'Word counter',
        capability: 'buy',
        limit: '2000000',
        cap: '10000000',
        spent: '1500000',
        left: '8500000',
        expires_at: Number(PERMISSION.expiry),
        recipients: [SHOP.toLowerCase()],
        state: 'active',
        nonce: 1,
        set_at: expect.any(Number),
        set_transaction: expect.stringMatching(/^0x[0-9a-f]{64}$/),
        revoked_at: null,
      },
    ])
  })

  test('PERM-03 show a lowered and a revoked permission from the next block, with the amount spent kept', async () => {
    await permissions.approve(OWNER, 10_000_000n)
    await permissions.set(PERMISSION)
    await permissions.spend(PERMISSION, { amount: 2_000_000n })
    await permissions.set({ ...PERMISSION, limit: 100_000n, cap: 500_000n })
    await follow()
    // The contract raises a cap below the amount spent to that amount.
    expect((await limits()).permissions).toMatchObject([
      { limit: '100000', cap: '2000000', spent: '2000000', left: '0', state: 'used-up', nonce: 2 },
    ])
    await permissions.revoke(PERMISSION)
    await follow()
    expect((await limits()).permissions).toMatchObject([
      { spent: '2000000', left: '0', state: 'revoked', nonce: 3, revoked_at: expect.any(Number) },
    ])
    await permissions.set(PERMISSION)
    await follow()
    expect((await limits()).permissions).toMatchObject([
      { cap: '10000000', spent: '2000000', left: '8000000', state: 'active', nonce: 4, revoked_at: null },
    ])
  })

  test('agree with the contract for every permission', async () => {
    const all = [1n, 2n, 3n].map(agentId => permissionOf({ agentId, cap: 3_000_000n }))
    await permissions.approve(OWNER, 9_000_000n)
    for (const permission of all) await permissions.set(permission)
    for (const [index, permission] of all.entries())
      await permissions.spend(permission, { amount: BigInt(index + 1) * 100_000n })
    await permissions.revoke(all[2] ?? PERMISSION)
    await follow()
    const shown = (await limits()).permissions
    expect(shown.map(({ state }) => state)).toEqual(['active', 'active', 'revoked'])
    for (const permission of all) {
      const { limit, cap, spent } = await permissions.statusOf(permission)
      const found = shown.find(({ id }) => id === idOf(permission))
      expect(found?.spent).toBe(spent.toString())
      if (limit > 0n) expect([found?.limit, found?.cap]).toEqual([limit.toString(), cap.toString()])
    }
  })

  test('show an expired permission after active ones', async () => {
    const soon = (await permissions.now()) + 100n
    const expiring = permissionOf({ agentId: 9n, expiry: soon })
    await permissions.set(PERMISSION)
    await permissions.set(expiring)
    await permissions.jumpTo(soon)
    await follow()
    expect((await limits()).permissions).toMatchObject([
      { agent_id: '7', state: 'active' },
      { agent_id: '9', state: 'expired', left: '5000000' },
    ])
  })

  test('name no agent that is taken down or does not exist, and accept any capability and agent id', async () => {
    await insertAgent(stage.database, { agentId: 7, standing: 'taken-down' })
    const hostile = permissionOf({ agentId: ENDLESS, capability: `\0${'🎫'.repeat(500)}` })
    await permissions.set(PERMISSION)
    await permissions.set(hostile)
    await follow()
    const shown = (await limits()).permissions
    expect(shown.map(({ agent_name: name }) => name)).toEqual([null, null])
    const [newest] = shown
    expect(newest).toMatchObject({
      id: idOf(hostile),
      agent_id: ENDLESS.toString(),
      scope: keyOf(hostile).scope,
    })
    expect([...(newest?.capability ?? '')]).toHaveLength(128)
  })

  test('are read again after a rewrite of the chain', async () => {
    const before = await permissions.snapshot()
    await permissions.set(PERMISSION)
    await callAnvil(chain.rpcUrl, 'anvil_mine', ['0x5'])
    const follower = createPermissionFollower(parts)
    await follow(follower)
    expect((await limits()).permissions).toHaveLength(1)
    await permissions.restore(before)
    await permissions.set(permissionOf({ agentId: 8n }))
    await callAnvil(chain.rpcUrl, 'anvil_mine', ['0x8'])
    await follow(follower)
    expect((await limits()).permissions).toMatchObject([{ agent_id: '8' }])
  })

  test('are read even with more events in a range than the node may answer', async () => {
    const capability = '\0'.repeat(60_000)
    for (let agentId = 1n; agentId <= 12n; agentId += 1n)
      await permissions.set(permissionOf({ agentId, capability }))
    await permissions.set(PERMISSION)
    await follow()
    expect((await limits()).permissions).toHaveLength(13)
  })

  test('cannot be read past a block larger than the limit of the answer, until the limit is raised', async () => {
    await permissions.set(permissionOf({ capability: '\0'.repeat(60_000) }))
    const cramped = createJsonRpc(chain.rpcUrl, { maxAnswerBytes: 65_536 })
    const follower = createPermissionFollower({ ...parts, rpc: cramped })
    await expect(follow(follower)).rejects.toThrow('the answer is larger than 65536 bytes')
    await cramped.close()
    await follow()
    expect((await limits()).permissions).toHaveLength(1)
  })

  test('belong to one wallet only', async () => {
    await permissions.set(PERMISSION)
    await follow()
    const answer = await ask({ method: 'GET', url: `/v1/limits/${STRANGER}` })
    expect(JSON.parse(answer.body)).toMatchObject({ permissions: [], allowance: '0', total_left: '0' })
  })

  test('offer no permit when the token signs under another domain', async () => {
    lie = (method, [call]) =>
      method === 'eth_call' && JSON.stringify(call).includes('"0x3644e515"')
        ? `0x${'00'.repeat(32)}`
        : undefined
    expect((await limits()).permit).toBeNull()
  })

  test('are answered with 503 while the node is unreachable, and 404 without the contract on the chain', async () => {
    lie = method => {
      if (method === 'eth_call') throw new Error('away')
      return undefined
    }
    const away = await ask({ method: 'GET', url: `/v1/limits/${OWNER}` })
    expect([away.statusCode, away.headers['retry-after']]).toEqual([503, '2'])
    lie = method => (method === 'eth_getCode' ? '0x' : undefined)
    const elsewhere = createApp(parts, limitsRoutes(parts))
    expect((await elsewhere.inject({ url: `/v1/limits/${OWNER}` })).statusCode).toBe(404)
    await elsewhere.close()
  })
})

describe('the spends of a wallet', () => {
  test('are listed with the newest first, in pages, each spend once', async () => {
    await permissions.approve(OWNER, 50_000_000n)
    await permissions.set({ ...PERMISSION, cap: 50_000_000n })
    for (let spend = 1n; spend <= 23n; spend += 1n) await permissions.spend(PERMISSION, { amount: spend })
    await follow()
    const first = await get<WalletSpends>('/spends')
    expect([first.total, first.spends.length]).toEqual([23, 20])
    const second = await get<WalletSpends>(`/spends?cursor=${first.next_cursor}`)
    expect(second.next_cursor).toBeNull()
    const amounts = [...first.spends, ...second.spends].map(({ amount }) => Number(amount))
    expect(amounts).toEqual(Array.from({ length: 23 }, (_, index) => 23 - index))
  })

  test('are found by the job they were made for, whatever the case of its id', async () => {
    const [job, other] = ['3f1c7c1e-5a0e-4a51-9a8e-0d9b5c0a7b11', '7b1e7c1e-5a0e-4a51-9a8e-0d9b5c0a7b12']
    await permissions.approve(OWNER, 10_000_000n)
    await permissions.set(PERMISSION)
    for (const index of [0, 1]) await permissions.spend(PERMISSION, { amount: 5n, ref: refOf(job, index) })
    await permissions.spend(PERMISSION, { amount: 7n, ref: refOf(other, 0) })
    await follow()
    const { spends, total } = await get<WalletSpends>(`/spends?job_ids=${job.toUpperCase()}`)
    expect(total).toBe(2)
    expect(spends).toMatchObject([
      { amount: '5', job_id: job.toUpperCase(), to: SHOP.toLowerCase(), capability: 'buy', agent_id: '7' },
      { amount: '5', permission: idOf(PERMISSION) },
    ])
    expect((await get<WalletSpends>(`/spends?permission=${idOf(PERMISSION)}`)).total).toBe(3)
    expect((await get<WalletSpends>(`/spends?permission=0x${'1'.repeat(64)}`)).total).toBe(0)
  })

  test.each(['cursor=1', 'cursor=1.2.3', 'permission=0x1', 'job_ids=x', `job_ids=${'a'.repeat(36)},`])(
    'refuses ?%s and names the field',
    async query => {
      const answer = await ask({ method: 'GET', url: `/v1/limits/${OWNER}/spends?${query}` })
      expect(answer.statusCode).toBe(400)
      expect(answer.body).toContain(query.split('=')[0])
    },
  )
})

describe('approvals', () => {
  const found = (): Promise<TokenApprovals> => get('/approvals')

  test('PERM-04 include an unlimited approval, until it is set to zero', async () => {
    await permissions.approve(OWNER, 3_000_000n)
    await permissions.token(OWNER, 'approve', [STRANGER, ENDLESS])
    await permissions.token(OWNER, 'approve', [SHOP, 5n])
    const { approvals, from_block: from } = await found()
    expect(from).toBe(0)
    expect(approvals).toMatchObject([
      { spender: STRANGER.toLowerCase(), amount: ENDLESS.toString(), unlimited: true },
      { amount: '3000000', unlimited: false, is_permissions_contract: true },
      { spender: SHOP.toLowerCase(), amount: '5', unlimited: false, is_permissions_contract: false },
    ])
    await permissions.token(OWNER, 'approve', [STRANGER, 0n])
    expect((await found()).approvals.map(({ spender }) => spender)).not.toContain(STRANGER.toLowerCase())
  })

  test('are searched as far back as the node answers, and the first block is reported', async () => {
    await permissions.token(OWNER, 'approve', [SHOP, 5n])
    const [log] = (await node.call('eth_getLogs', [
      { address: chain.usdc, fromBlock: 'latest', toBlock: 'latest' },
    ])) as readonly object[]
    const at = `0x${(499_500).toString(16)}`
    lie = (method, [filter]) => {
      if (method === 'eth_blockNumber') return `0x${(500_000).toString(16)}`
      if (method !== 'eth_getLogs') return undefined
      const { fromBlock, toBlock } = filter as { readonly fromBlock: string; readonly toBlock: string }
      if (Number(toBlock) - Number(fromBlock) >= 1_000)
        throw new JsonRpcError(method, -32_005, 'too many blocks', undefined)
      return Number(toBlock) === 500_000 ? [{ ...log, blockNumber: at }] : []
    }
    const { approvals, from_block: from } = await found()
    expect(from).toBe(500_001 - 12 * 1_000)
    expect(approvals.map(({ amount }) => amount)).toEqual(['5'])
  })
})

describe('the account that spends for an agent', () => {
  let site: AgentSite
  beforeEach(async () => {
    site = await startSite()
    const { capabilities } = sampleDeclaration(OWNER)
    const count = { ...capabilities['count'], permissions: [SPENDS] } as (typeof capabilities)[string]
    await insertAgent(stage.database, {
      agentId: 7,
      endpoint: site.url,
      declaration: sampleDeclaration(OWNER.toLowerCase(), { capabilities: { count } }),
    })
    await insertAgent(stage.database, { agentId: 8 })
  })
  afterEach(() => site.close())

  const says = (entry: unknown): void => {
    site.answer = async () => namesSpender(entry === undefined ? undefined : [entry])
  }
  const spender = async (agentId = 7) => {
    const answer = await ask({ method: 'GET', url: `/v1/agents/${agentId}/spender` })
    return [answer.statusCode, answer.body] as const
  }
  const IDENTITY = {
    agent_id: '7',
    network: 'eip155:84532',
    contract: SPEND_PERMISSIONS_ADDRESS,
    spender: SPENDER,
  }

  test('is requested from the agent', async () => {
    says(IDENTITY)
    const [status, body] = await spender()
    expect([status, JSON.parse(body)]).toEqual([200, { agent_id: 7, spender: SPENDER.toLowerCase() }])
    expect(site.seen).toEqual(['POST /execute'])
  })

  test.each([
    ['nobody', undefined, 'names no account'],
    ['another number', { ...IDENTITY, agent_id: '9' }, 'as agent 9, not as agent 7'],
    ['another chain', { ...IDENTITY, network: 'eip155:1' }, 'not on eip155:84532'],
    ['no address', { ...IDENTITY, spender: '<b>' }, 'usable'],
  ])('is refused with the reason when the agent names %s', async (_, entry, why) => {
    says(entry)
    const [status, text] = await spender()
    expect(status).toBe(404)
    expect(text).toContain(why)
  })

  test.each([200, 404, 500])('is answered with 503 when the agent answers %i', async status => {
    site.answer = async () => Response.json({}, { status })
    const [found, text] = await spender()
    expect(found).toBe(503)
    expect(text).toContain('ask again')
  })

  test('PERM-06 is not requested when the agent declares no spending', async () => {
    says(IDENTITY)
    expect((await spender(8))[0]).toBe(404)
    expect((await spender(99))[0]).toBe(404)
    expect(site.seen).toEqual([])
  })
})

test('a token that lies has no effect on the amounts, which are the contract’s', async () => {
  const odd = permissionOf({ token: chain.agentRegistry })
  await permissions.call(OWNER, encode('set', [odd]))
  await follow()
  expect((await limits()).permissions).toMatchObject([{ token: chain.agentRegistry.toLowerCase() }])
})
