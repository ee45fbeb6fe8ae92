import { STAKE_WEI } from '@farebox/contracts/internal/calls/registry-calls'
import { notePaymentProblem } from '../owners/payment-problem.ts'
import { signedInAs } from '../test-setup/sign-in.ts'
import {
  registration,
  type PastDeclaration,
  type Refreshed,
  type Registration,
} from '@farebox/platform-api/registry'
import { callAnvil } from '@farebox/local/src/chain/anvil-rpc'
import { startChain, type LocalChain } from '@farebox/local/chain/start-chain'
import { TEST_KEYS } from '@farebox/local/chain/test-keys'
import { call, register, send } from '@farebox/local/src/testing/registry-calls'
import { createJsonRpc } from '@farebox/payments/chain/json-rpc-pool'
import type { Declaration } from '@farebox/protocol/declaration/declaration'
import type { FastifyInstance } from 'fastify'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createApp } from '../app/create-app.ts'
import type { PlatformParts } from '../platform-parts.ts'
import { answersAsDocumented } from '../test-setup/answers-as-documented.ts'
import { lieAt, moveIn, startSite, type AgentSite } from '../test-setup/network/agent-site.ts'
import { sampleDeclaration } from '../test-setup/database/insert-agent.ts'
import { dyingAfter } from '../test-setup/database/dying-database.ts'
import { stagePlatform, type Stage } from '../test-setup/stage-platform.ts'
import type { AgentRow } from '../agents/agent-row.ts'
import { createRegistryFollower } from './chain/follow-registry.ts'
import { inspectAgent } from './inspect/inspect-agent.ts'
import { readAgent } from '../agents/read-agent.ts'
import { registryRoutes } from './registry-routes.ts'
import { startRegistry } from './start-registry.ts'
import { takeDueAgents } from './inspect/take-agents.ts'

const OWNER = TEST_KEYS.agent.address
const WALLET = OWNER.toLowerCase()
const OTHER_OWNER = TEST_KEYS.secondAgent.address
const OTHER = OTHER_OWNER.toLowerCase()

let chain: LocalChain
let stage: Stage
let parts: PlatformParts
let app: FastifyInstance
let site: AgentSite

beforeAll(async () => {
  chain = await startChain()
  stage = await stagePlatform({
    realTime: true,
    rpc: createJsonRpc(chain.rpcUrl),
    settings: { registryAddress: chain.agentRegistry.toLowerCase(), confirmations: 2 },
  })
  parts = stage.parts
  app = createApp(parts, registryRoutes(parts))
  await app.ready()
})

beforeEach(async () => {
  site = await startSite()
})

afterEach(() => site.close())

afterAll(async () => {
  await app.close()
  await stage.close()
  await parts.rpc.close()
  await chain.stop()
})

const mine = (blocks: number): Promise<unknown> =>
  callAnvil(chain.rpcUrl, 'anvil_mine', [`0x${blocks.toString(16)}`])

/** Follows the chain to its last confirmed block and inspects all due agents. */
async function settle({ mined = 2 } = {}): Promise<void> {
  if (mined > 0) await mine(mined)
  const follower = createRegistryFollower(parts)
  while ((await follower.pass()).kind !== 'up-to-date');
  for (let rounds = 0; rounds < 10; rounds += 1) {
    const due = await takeDueAgents(parts.database, parts.clock.nowMs(), 100)
    if (due.length === 0) return
    await Promise.all(due.map(agentId => inspectAgent(parts, agentId)))
  }
}

async function agentOf(id: bigint | number): Promise<AgentRow> {
  const agent = await readAgent(parts.database, Number(id))
  if (agent === undefined) throw new Error(`there is no agent ${id}`)
  return agent
}

/** Creates a listed agent of OWNER at the site. */
async function listed(declaration: Partial<Declaration> = {}): Promise<bigint> {
  await moveIn(site, { wallet: WALLET, declaration })
  const agentId = await register(chain, OWNER, site.url)
  await settle()
  expect((await agentOf(agentId)).standing).toBe('listed')
  return agentId
}

/** Another caller for each request, because these tests are not about the rate limit of one caller. */
let callers = 0
const post = (url: string, payload?: object, more: object = {}) => {
  callers += 1
  const headers = { ...(payload && { 'content-type': 'application/json' }), ...more }
  const remoteAddress = `198.51.100.${callers}`
  return app.inject({ method: 'POST', url, headers, remoteAddress, ...(payload && { payload }) })
}
const open = (endpoint: string) => post('/v1/registrations', { endpoint })

async function refresh(agentId: bigint, headers: object = {}): Promise<Refreshed> {
  await parts.database.pool.query('update agents set looked_at = null where agent_id = $1', [
    agentId.toString(),
  ])
  const answer = await post(`/v1/agents/${agentId}/refresh`, undefined, headers)
  expect(answer.statusCode, answer.body).toBe(200)
  return answer.json<Refreshed>()
}

const isWatched = async (agentId: bigint): Promise<boolean> => {
  const { rows } = await parts.database.pool.query(
    `select 1 from agent_health where agent_id = $1 and due_at < 'infinity'`,
    [agentId.toString()],
  )
  return rows.length > 0
}

const isFindable = async (agentId: bigint): Promise<boolean> => {
  const { rows } = await parts.database.pool.query('select 1 from search_entries where agent_id = $1', [
    agentId.toString(),
  ])
  return rows.length > 0
}

describe('a registration', () => {
  test('REG-06 goes from waiting to listed under one id, in two tabs and after an interruption', async () => {
    await moveIn(site, { wallet: WALLET })
    const [one, two] = await Promise.all([open(site.url), open(`${site.url}//`.slice(0, -1))])
    expect(one.statusCode, one.body).toBe(200)
    const first = registration.parse(one.json())
    expect(two.json<Registration>().registration_id).toBe(first.registration_id)
    expect(first).toMatchObject({
      endpoint: site.url,
      found: {
        phase: 'agent',
        wallet: WALLET,
        capabilities: [
          {
            name: 'count',
            price: '0.01',
            price_atomic: '10000',
            takes: [{ name: 'text', type: 'string', required: true }],
            gives: [{ name: 'words', type: 'integer', required: true }],
          },
        ],
      },
      stake_wei: STAKE_WEI.toString(),
      registry_address: chain.agentRegistry.toLowerCase(),
      chain_id: chain.chainId,
      register_page_url: `${parts.settings.publicUrl}/register/${first.registration_id}`,
      status: { state: 'waiting_for_stake' },
      staked_by_others: [],
    })
    const status = async (): Promise<Registration['status']> => {
      const { json } = await app.inject({ method: 'GET', url: `/v1/registrations/${first.registration_id}` })
      return registration.parse(json()).status
    }

    await send(chain, {
      from: OWNER,
      to: chain.agentRegistry,
      valueWei: BigInt(first.stake_wei),
      callData: first.call_data as `0x${string}`,
    })
    await settle({ mined: 1 })
    const confirming = await status()
    expect(confirming).toMatchObject({ state: 'confirming', confirmations: 1, confirmations_wanted: 2 })
    await settle({ mined: 1 })
    const done = await status()
    if (done.state !== 'listed') throw new Error(done.state)
    expect(done).toMatchObject({
      provisional: false,
      profile_url: expect.stringContaining(`/${done.agent_id}`),
    })
    const agentId = BigInt(done.agent_id)
    expect(await agentOf(agentId)).toMatchObject({ standing: 'listed', wallet: WALLET, provenWallet: WALLET })
    expect([await isWatched(agentId), await isFindable(agentId)]).toEqual([true, true])

    const again = await open(site.url)
    expect(again.json<Registration>()).toMatchObject({ registration_id: first.registration_id, status: done })
  })

  test('REG-03 of an endpoint that is already listed is refused, naming the agent, in every spelling', async () => {
    const agentId = await listed()
    for (const spelling of [site.url, site.url.toUpperCase(), `${site.url}///`]) {
      const answer = await open(spelling)
      expect(answer.statusCode, spelling).toBe(409)
      expect(answer.json()).toMatchObject({ error: `endpoint: agent ${agentId} is listed with it already` })
    }
  })

  test.each<[string, string, string]>([
    ['no URL', 'hello', 'endpoint: url: must be https:// and a host'],
    ['a private address', 'https://10.0.0.1', 'endpoint: host: must be a name, not an IP address'],
  ])('of %s is refused with the reason', async (_, endpoint, error) => {
    const answer = await open(endpoint)
    expect(answer.statusCode).toBe(400)
    expect(answer.json()).toMatchObject({ status: 'failed', error_type: 'validation', error })
  })

  test('of an agent in dev mode is refused', async () => {
    await moveIn(site, { wallet: WALLET, devMode: true })
    const answer = await open(site.url)
    expect(answer.json()).toMatchObject({ error: expect.stringMatching(/^execute: answers unpaid jobs/) })
  })

  test('REG-01 is not ended by stakes of others for the endpoint, and shows them', async () => {
    await moveIn(site, { wallet: WALLET })
    const { registration_id: id } = (await open(site.url)).json<Registration>()
    const thief = await register(chain, OTHER_OWNER, site.url)
    await settle()
    const { json } = await app.inject({ method: 'GET', url: `/v1/registrations/${id}` })
    expect(json<Registration>()).toMatchObject({
      status: { state: 'waiting_for_stake' },
      staked_by_others: [
        { agent_id: Number(thief), owner: OTHER, reason: 'about: its wallet is not the address that staked' },
      ],
    })
  })

  test('opened again an hour after its stake was refused triggers an inspection that finds the agent valid', async () => {
    await moveIn(site, { wallet: WALLET })
    const { registration_id: id } = (await open(site.url)).json<Registration>()
    const honest = site.answer
    site.answer = undefined
    const [agentId, foreign] = [
      await register(chain, OWNER, site.url),
      await register(chain, OTHER_OWNER, site.url),
    ]
    await settle()
    const pool = parts.database.pool
    await pool.query(
      `update agents set next_refresh_at = null, look_since = now() - interval '2 hours' where endpoint = $1`,
      [site.url],
    )
    await pool.query(`update registrations set examined_at = now() - interval '2 minutes'`)
    const bad = await open(site.url)
    expect(bad.statusCode).toBe(400)
    expect((await agentOf(agentId)).nextRefreshAtMs).toBeUndefined()

    site.answer = honest
    const opened = (await open(site.url)).json<Registration>()
    expect(opened).toMatchObject({ registration_id: id, status: { state: 'refused', retried: true } })
    expect((await agentOf(foreign)).nextRefreshAtMs).toBeUndefined()
    await settle({ mined: 0 })
    expect(await agentOf(agentId)).toMatchObject({ standing: 'listed' })
  })

  test('with an unknown id is 404', async () => {
    const url = '/v1/registrations/6f1c1b9e-6a50-4b8e-9a8e-111111111111'
    expect((await app.inject({ method: 'GET', url })).statusCode).toBe(404)
  })
})

describe('an agent that is staked', () => {
  test('REG-01 for an endpoint of another owner is refused, and none of its data is shown', async () => {
    await moveIn(site, { wallet: WALLET })
    const agentId = await register(chain, OTHER_OWNER, site.url)
    await settle()
    expect(await agentOf(agentId)).toMatchObject({
      standing: 'refused',
      standingReason: 'about: its wallet is not the address that staked',
      declaration: undefined,
    })
    expect([await isWatched(agentId), await isFindable(agentId)]).toEqual([false, false])
  })

  test('before it is deployed is inspected again, and then listed', async () => {
    const agentId = await register(chain, OWNER, site.url)
    await settle()
    const refused = await agentOf(agentId)
    expect(refused).toMatchObject({ standing: 'refused', standingReason: 'health: cannot be reached' })
    expect(refused.nextRefreshAtMs).toBeLessThan(parts.clock.nowMs() + 20_000)
    await moveIn(site, { wallet: WALLET })
    await parts.database.pool.query('update agents set next_refresh_at = now() where agent_id = $1', [
      agentId.toString(),
    ])
    await settle({ mined: 0 })
    expect(await agentOf(agentId)).toMatchObject({ standing: 'listed', standingReason: undefined })
  })

  test('D36 and provisional is displaced when a proven one is staked', async () => {
    await moveIn(site, { wallet: WALLET })
    const honest = site.answer
    lieAt(site, { '/about': () => new Response('{}', { status: 404 }) })
    const squatter = await register(chain, OTHER_OWNER, site.url)
    const second = await register(chain, TEST_KEYS.stranger.address, site.url)
    await settle()
    expect(await agentOf(squatter)).toMatchObject({ standing: 'provisional', name: 'Word counter' })
    expect(await agentOf(second)).toMatchObject({ standing: 'refused' })
    site.answer = honest
    const agentId = await register(chain, OWNER, site.url)
    await settle()
    expect(await agentOf(agentId)).toMatchObject({ standing: 'listed' })
    expect(await agentOf(squatter)).toMatchObject({
      standing: 'refused',
      wallet: undefined,
      standingReason: `agent ${agentId} has proven to own this endpoint`,
    })
    expect(await isWatched(squatter)).toBe(false)
  })

  test('twice by one owner is listed once, and the second time when the first is given up', async () => {
    const first = await listed()
    const second = await register(chain, OWNER, site.url)
    await settle()
    expect(await agentOf(second)).toMatchObject({
      standing: 'refused',
      standingReason: `agent ${first} is listed with this endpoint`,
    })
    await call(chain, OWNER, 'deregister', [first])
    await settle()
    expect(await agentOf(first)).toMatchObject({ standing: 'deregistered' })
    expect(await agentOf(second)).toMatchObject({ standing: 'listed' })
    expect([await isWatched(first), await isFindable(first)]).toEqual([false, false])
  })

  test('twice at once for one endpoint is handled one after the other', async () => {
    await moveIn(site, { wallet: WALLET })
    const ids = [await register(chain, OWNER, site.url), await register(chain, OWNER, site.url)]
    await mine(2)
    const follower = createRegistryFollower(parts)
    while ((await follower.pass()).kind !== 'up-to-date');
    await Promise.all(ids.map(id => inspectAgent(parts, Number(id))))
    const standings = await Promise.all(ids.map(async id => (await agentOf(id)).standing))
    expect(standings.toSorted()).toEqual(['listed', 'refused'])
  })

  test('and then moved to another endpoint is inspected again', async () => {
    const agentId = await listed()
    const victim = await startSite()
    await moveIn(victim, { wallet: OTHER })
    await call(chain, OWNER, 'updateEndpoint', [agentId, victim.url])
    await settle()
    expect(await agentOf(agentId)).toMatchObject({
      standing: 'refused',
      endpoint: victim.url,
      provenWallet: undefined,
    })
    await call(chain, OWNER, 'updateEndpoint', [agentId, site.url])
    await settle()
    expect(await agentOf(agentId)).toMatchObject({
      standing: 'listed',
      endpoint: site.url,
      provenWallet: WALLET,
    })
    await victim.close()
  })
})

describe('a refresh', () => {
  test('REG-04 shows an increased price, and stores it in the history', async () => {
    const agentId = await listed()
    const { count } = sampleDeclaration(WALLET).capabilities
    if (count === undefined) throw new Error('the sample has no count')
    const pricing = { ...count.pricing, amount: '0.02' }
    await moveIn(site, { wallet: WALLET, declaration: { capabilities: { count: { ...count, pricing } } } })
    const refreshed = await refresh(agentId)
    const change = {
      severity: 'price',
      capability: 'count',
      sentence: 'costs 0.02 USDC a job, was 0.01 (a raise)',
      price: { old: '0.01', new: '0.02', direction: 'raise' },
    }
    expect(refreshed).toMatchObject({ standing: 'listed', payable: true, problem: null, changes: [change] })
    expect((await refresh(agentId)).changes).toEqual([])
    const { json } = await app.inject({ method: 'GET', url: `/v1/agents/${agentId}/declarations` })
    expect(json()).toMatchObject({
      agent_id: Number(agentId),
      problem: null,
      declarations: [
        { version: 2, severity: 'price', changes: [change] },
        { version: 1, severity: 'first', changes: [] },
      ],
    })
    const older = await app.inject({
      method: 'GET',
      url: `/v1/agents/${agentId}/declarations?before=2&limit=5`,
    })
    expect(older.json<{ declarations: unknown[] }>().declarations).toHaveLength(1)
  })

  test('shows each version as it was read, in declared order, and none of an agent that was taken down', async () => {
    const { count } = sampleDeclaration(WALLET).capabilities
    if (count === undefined) throw new Error('the sample has no count')
    const first = { zeta_long_name: count, a: count }
    const agentId = await listed({ capabilities: first })
    await moveIn(site, { wallet: WALLET, declaration: { capabilities: { count } } })
    await refresh(agentId)
    const ask = answersAsDocumented(app, registryRoutes(parts))
    const read = (version: string) =>
      ask({ method: 'GET', url: `/v1/agents/${agentId}/declarations/${version}` })
    const one = (await read('1')).json<PastDeclaration>()
    expect(one).toMatchObject({ agent_id: Number(agentId), version: 1, declaration: { wallet: WALLET } })
    expect(JSON.stringify(one.declaration['capabilities'])).toBe(JSON.stringify(first))
    const two = (await read('2')).json<PastDeclaration>()
    expect(two.declaration['capabilities']).toEqual({ count })
    const codes = await Promise.all(
      ['3', '0', '01', 'x', '9999999999'].map(async one => (await read(one)).statusCode),
    )
    expect(codes).toEqual([404, 400, 400, 400, 400])
    await parts.database.pool.query(
      `update agents set standing = 'taken-down', next_refresh_at = null where agent_id = $1`,
      [agentId],
    )
    expect((await read('1')).statusCode).toBe(404)
  })

  test('keeps capabilities and fields in their declared order (D14)', async () => {
    const { count } = sampleDeclaration(WALLET).capabilities
    if (count === undefined) throw new Error('the sample has no count')
    const agentId = await listed({ capabilities: { zeta_long_name: count, a: count } })
    expect(Object.keys((await agentOf(agentId)).declaration?.capabilities ?? {})).toEqual([
      'zeta_long_name',
      'a',
    ])
  })

  test('REG-04 with a changed wallet stops payments until the token is transferred to it', async () => {
    const agentId = await listed()
    await moveIn(site, { wallet: OTHER })
    const changed = await refresh(agentId)
    expect(changed).toMatchObject({ standing: 'listed', payable: false, changes: [{ severity: 'wallet' }] })
    expect(await agentOf(agentId)).toMatchObject({ wallet: OTHER, provenWallet: WALLET })
    await call(chain, OWNER, 'transferFrom', [OWNER, OTHER_OWNER, agentId])
    await settle()
    expect(await agentOf(agentId)).toMatchObject({
      standing: 'listed',
      owner: OTHER,
      wallet: OTHER,
      provenWallet: OTHER,
    })
    expect((await refresh(agentId)).payable).toBe(true)
  })

  test('stops payments for a token that was transferred without its wallet, until it is transferred back', async () => {
    const agentId = await listed()
    await call(chain, OWNER, 'transferFrom', [OWNER, OTHER_OWNER, agentId])
    await settle()
    expect(await agentOf(agentId)).toMatchObject({ wallet: WALLET, owner: OTHER, provenWallet: undefined })
    await call(chain, OTHER_OWNER, 'transferFrom', [OTHER_OWNER, OWNER, agentId])
    await settle()
    expect(await agentOf(agentId)).toMatchObject({ provenWallet: WALLET })
  })

  test('lists an agent registered by the new wallet in place of the unproven one', async () => {
    const agentId = await listed()
    await moveIn(site, { wallet: OTHER })
    await refresh(agentId)
    const opened = await open(site.url)
    expect(opened.statusCode, opened.body).toBe(200)
    const taker = await register(chain, OTHER_OWNER, site.url)
    await settle()
    expect(await agentOf(taker)).toMatchObject({ standing: 'listed', provenWallet: OTHER })
    expect(await agentOf(agentId)).toMatchObject({
      standing: 'refused',
      provenWallet: undefined,
      standingReason: `agent ${taker} has proven to own this endpoint`,
    })
  })

  test("D11 ends a payment problem at the owner's request, or after a day, but not at another caller's request", async () => {
    const agentId = await listed()
    const { database } = parts
    const note = async (hoursAgo: number): Promise<void> =>
      await notePaymentProblem(database, Number(agentId), {
        reason: 'it answered 401',
        nowMs: parts.clock.nowMs() - hoursAgo * 3_600_000,
      })
    await note(1)
    expect(await refresh(agentId)).toMatchObject({ standing: 'listed', payable: false, problem: null })
    expect((await refresh(agentId, await signedInAs(parts, OTHER))).payable).toBe(false)
    expect((await refresh(agentId, await signedInAs(parts, WALLET))).payable).toBe(true)
    await note(21)
    expect((await refresh(agentId)).payable).toBe(true)
  })

  test('that finds a new wallet triggers the inspection of an agent that the wallet has staked before', async () => {
    const agentId = await listed()
    const early = await register(chain, OTHER_OWNER, site.url)
    await settle()
    expect((await agentOf(early)).standing).toBe('refused')
    await moveIn(site, { wallet: OTHER })
    await refresh(agentId)
    await settle({ mined: 0 })
    expect(await agentOf(early)).toMatchObject({ standing: 'listed', provenWallet: OTHER })
    expect(await agentOf(agentId)).toMatchObject({ standing: 'refused' })
  })

  test('with a missing /about keeps the last declaration and its time; after seven days the agent is Phase 1', async () => {
    const agentId = await listed()
    const before = await agentOf(agentId)
    lieAt(site, { '/about': () => new Response('{}', { status: 404 }) })
    const missing = await refresh(agentId)
    expect(missing).toMatchObject({
      standing: 'listed',
      payable: true,
      problem: 'about: is missing',
      last_read_at: Number(before.refreshedAtMs) / 1_000,
    })
    expect((await agentOf(agentId)).declaration).toEqual(before.declaration)
    await parts.database.pool.query(
      `update agents set about_missing_since = now() - interval '8 days' where agent_id = $1`,
      [agentId.toString()],
    )
    expect(await refresh(agentId)).toMatchObject({ standing: 'provisional', payable: false })
    expect(await agentOf(agentId)).toMatchObject({ declaration: undefined, wallet: undefined })
    await moveIn(site, { wallet: WALLET })
    expect(await refresh(agentId)).toMatchObject({
      standing: 'listed',
      payable: true,
      problem: null,
      changes: [],
    })
  })

  test('D34 with an /about that is broken for seven days makes the agent Phase 1, until it can be read again', async () => {
    const agentId = await listed()
    lieAt(site, { '/about': () => new Response('no JSON') })
    expect(await refresh(agentId)).toMatchObject({ standing: 'listed', payable: true })
    await parts.database.pool.query(
      `update agents set about_missing_since = about_missing_since - interval '7 days' where agent_id = $1`,
      [agentId.toString()],
    )
    expect(await refresh(agentId)).toMatchObject({
      standing: 'provisional',
      payable: false,
      problem: 'about: is not JSON',
    })
    expect(await agentOf(agentId)).toMatchObject({ name: 'Word counter', declaration: undefined })
    await moveIn(site, { wallet: WALLET })
    expect(await refresh(agentId)).toMatchObject({ standing: 'listed', payable: true, problem: null })
  })

  test.each<[string, Partial<Declaration>]>([
    ['a name that grows when it is compared', { name: '\uFDFA'.repeat(64) }],
    ['a name of marks alone', { name: '\u0301'.repeat(64) }],
    ['a name of pairs', { name: '\u{1F600}'.repeat(32) }],
    ['a description that no index has room for', { description: '\uFDFA'.repeat(1_024) }],
    ['a capability that no index has room for', withCapability('字'.repeat(3_000))],
    ['the dearest price there is', withCapability('count', `${'9'.repeat(33)}.999999`)],
  ])('of %s completes and keeps the agent listed', async (_, declaration) => {
    const agentId = await listed()
    const served = { ...sampleDeclaration(WALLET), ...declaration }
    lieAt(site, { '/about': () => Response.json(served) })
    const inspected = await inspectAgent(parts, Number(agentId))
    expect(inspected?.agent.standing).toBe('listed')
    const { rows } = await parts.database.pool.query(
      'select next_refresh_at > now() as is_later from agents where agent_id = $1',
      [agentId.toString()],
    )
    expect(rows).toEqual([{ is_later: true }])
  })

  test('of a declaration that the database refuses counts as failed once, and is not repeated forever', async () => {
    const agentId = await listed()
    const before = await agentOf(agentId)
    const { pool } = parts.database
    await pool.query(`alter table agents add constraint test_refuses check (name <> 'Unkept') not valid`)
    await moveIn(site, { wallet: WALLET, declaration: { name: 'Unkept' } })
    try {
      const problem = 'about: has something in it that cannot be kept'
      expect(await refresh(agentId)).toMatchObject({ standing: 'listed', problem })
      expect(await agentOf(agentId)).toMatchObject({ name: before.name, refreshedAtMs: before.refreshedAtMs })
      expect((await agentOf(agentId)).nextRefreshAtMs).toBeGreaterThan(parts.clock.nowMs() + 600_000)
    } finally {
      await pool.query('alter table agents drop constraint test_refuses')
    }
  })

  test('of an agent that is down keeps it listed, because the monitor decides about that', async () => {
    const agentId = await listed()
    site.answer = undefined
    expect(await refresh(agentId)).toMatchObject({ standing: 'listed', problem: 'about: cannot be reached' })
  })

  test('is made at most once a minute for one agent, for all callers', async () => {
    const agentId = await listed()
    await refresh(agentId)
    const answer = await post(`/v1/agents/${agentId}/refresh`)
    expect(answer.statusCode).toBe(429)
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(50)
    expect((await post('/v1/agents/999999/refresh')).statusCode).toBe(404)
  })

  test('of an agent that changes on the chain meanwhile writes nothing', async () => {
    const agentId = await listed()
    const honest = site.answer
    lieAt(site, {
      '/about': async () => {
        await parts.database.pool.query(`update agents set owner = $2 where agent_id = $1`, [
          agentId.toString(),
          OTHER,
        ])
        return (await honest?.(new Request(`${site.url}/about`))) ?? new Response()
      },
    })
    const before = await agentOf(agentId)
    expect(await inspectAgent(parts, Number(agentId))).toBeUndefined()
    expect((await agentOf(agentId)).refreshedAtMs).toBe(before.refreshedAtMs)
  })

  test('by a worker that dies at any statement has written nothing, and the next one writes everything', async () => {
    const squatterSite = await startSite()
    await moveIn(squatterSite, { wallet: WALLET })
    const honest = squatterSite.answer
    lieAt(squatterSite, { '/about': () => new Response('{}', { status: 404 }) })
    const squatter = await register(chain, OTHER_OWNER, squatterSite.url)
    const agentId = await register(chain, OWNER, squatterSite.url)
    await settle()
    squatterSite.answer = honest
    const tables = ['agents', 'agent_declarations', 'agent_health', 'search_entries']
    const dump = async (): Promise<unknown> => {
      const results = await Promise.all(
        tables.map(table =>
          parts.database.pool.query(`select * from ${table} where agent_id in ($1, $2) order by agent_id`, [
            squatter.toString(),
            agentId.toString(),
          ]),
        ),
      )
      return results.map(({ rows }) => rows as unknown)
    }
    const before = await dump()
    let deaths = 0
    for (; deaths < 100; deaths += 1) {
      const dying = { ...parts, database: dyingAfter(parts.database, deaths) }
      const died = await inspectAgent(dying, Number(agentId)).then(
        () => false,
        () => true,
      )
      if (!died) break
      expect(await dump(), `after ${deaths} statements`).toEqual(before)
    }
    expect(deaths).toBeGreaterThan(10)
    expect(await agentOf(agentId)).toMatchObject({ standing: 'listed', provenWallet: WALLET })
    expect(await agentOf(squatter)).toMatchObject({ standing: 'refused' })
    await squatterSite.close()
  })

  test('leases each due agent to one worker', async () => {
    // Agents of other tests may have become due in the meantime.
    await parts.database.pool.query("update agents set next_refresh_at = next_refresh_at + interval '1 day'")
    const ids = await Promise.all([listedRow(901), listedRow(902), listedRow(903), listedRow(904)])
    const nowMs = parts.clock.nowMs()
    const other = await stage.anotherWorker()
    const [one, two] = await Promise.all([
      takeDueAgents(parts.database, nowMs, 2),
      takeDueAgents(other.database, nowMs, 2),
    ])
    expect(new Set([...one, ...two])).toEqual(new Set(ids))
    expect(await takeDueAgents(parts.database, nowMs, 10)).toEqual([])
    // The worker that leased them died: they are due again.
    const again = await takeDueAgents(parts.database, nowMs + 40_000, 10)
    expect(again).toEqual(expect.arrayContaining(ids))
    await parts.database.pool.query('delete from agents where agent_id > 900')
  })
})

test('in the background, a staked agent is listed, and deregistered when its stake is returned', async () => {
  await moveIn(site, { wallet: WALLET })
  const registry = startRegistry(parts)
  const stands = async (agentId: bigint, standing: AgentRow['standing']): Promise<void> => {
    await expect.poll(async () => (await readAgent(parts.database, Number(agentId)))?.standing).toBe(standing)
  }
  const agentId = await register(chain, OWNER, site.url)
  await mine(2)
  await stands(agentId, 'listed')
  await call(chain, OWNER, 'deregister', [agentId])
  await mine(2)
  await stands(agentId, 'deregistered')
  await registry.stop()
  await registry.stop()
})

test("GET /v1/platform describes the platform's settings", async () => {
  const answer = await app.inject({ method: 'GET', url: '/v1/platform' })
  expect(answer.json()).toMatchObject({
    local_mode: true,
    chain_id: 84_532,
    confirmations: 2,
    stake_wei: '1000000000000000',
    registry_address: chain.agentRegistry.toLowerCase(),
    facilitator_url: null,
  })
})

test('GET /v1/platform names an explorer, but none for a local chain of the same number', async () => {
  const local = await app.inject({ method: 'GET', url: '/v1/platform' })
  expect(local.json()).not.toHaveProperty('explorer_url')
  const settings = { ...parts.settings, localMode: false }
  const other = createApp(parts, registryRoutes({ ...parts, settings }))
  const { explorer } = parts.network
  expect(explorer).toBeDefined()
  const answer = await other.inject({ method: 'GET', url: '/v1/platform' })
  expect(answer.json()).toMatchObject({ local_mode: false, explorer_url: explorer })
  await other.close()
})

test('GET /v1/platform names its facilitator, without the secrets in its URL', async () => {
  const facilitator = { url: 'https://user:password@pay.example:4010/x402/?key=1', adminToken: 'a-token' }
  const settings = { ...parts.settings, facilitator }
  const other = createApp(parts, registryRoutes({ ...parts, settings }))
  const answer = await other.inject({ method: 'GET', url: '/v1/platform' })
  expect(answer.json()).toMatchObject({ facilitator_url: 'https://pay.example:4010/x402/', secrets: true })
  await other.close()
})

function withCapability(name: string, amount = '0.01'): Partial<Declaration> {
  const { count } = sampleDeclaration(WALLET).capabilities
  if (count === undefined) throw new Error('the sample has no count')
  return { capabilities: { [name]: { ...count, pricing: { ...count.pricing, amount } } } }
}

async function listedRow(agentId: number): Promise<number> {
  await parts.database.pool.query(
    `insert into agents (agent_id, endpoint_on_chain, owner, stake_wei, registered_block, registered_transaction,
       registered_at, standing_since, next_refresh_at)
     values ($1, '', $2, 1, 1, '', now(), now(), now() - interval '1 minute')`,
    [agentId, WALLET],
  )
  return agentId
}
