import { setTimeout as delay } from 'node:timers/promises'
import { faucetAnswer, firstJob, walletBalance } from '@farebox/platform-api/wallets'
import { callAnvil } from '@farebox/local/src/chain/anvil-rpc'
import { fund } from '@farebox/local/chain/faucet'
import { startChain, type LocalChain } from '@farebox/local/chain/start-chain'
import { TEST_KEYS } from '@farebox/local/chain/test-keys'
import type { JsonRpc } from '@farebox/payments/chain/json-rpc'
import { createJsonRpc } from '@farebox/payments/chain/json-rpc-pool'
import { compileInput } from '@farebox/protocol/fields/compile'
import type { JsonObject, FieldMap } from '@farebox/protocol/fields/field'
import { createManualClock } from '@farebox/protocol/src/test-setup/manual-clock'
import type { FastifyInstance } from 'fastify'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createApp } from '../app/create-app.ts'
import { platformRoutes } from '../create-platform.ts'
import { indexAgent } from '../listing/index-agent.ts'
import type { PlatformParts } from '../platform-parts.ts'
import { answersAsDocumented } from '../test-setup/answers-as-documented.ts'
import { insertAgent, sampleDeclaration, type AgentInserted } from '../test-setup/database/insert-agent.ts'
import { stagePlatform, type Stage } from '../test-setup/stage-platform.ts'
import { createWalletBalances } from './wallet-balances.ts'
import { walletsRoutes } from './wallets-routes.ts'

let chain: LocalChain
let stage: Stage
let app: FastifyInstance
let ask: ReturnType<typeof answersAsDocumented>

beforeAll(async () => {
  chain = await startChain()
  stage = await stagePlatform({
    realTime: true,
    rpc: createJsonRpc(chain.rpcUrl),
    settings: { faucetKey: TEST_KEYS.faucet.privateKey },
  })
  ;({ app, ask } = open(stage.parts))
})
afterAll(async () => {
  await app.close()
  await stage.parts.rpc.close()
  await stage.close()
  await chain.stop()
})

function open(parts: PlatformParts): { readonly app: FastifyInstance; readonly ask: typeof ask } {
  const routes = walletsRoutes(parts)
  const opened = createApp(parts, routes)
  return { app: opened, ask: answersAsDocumented(opened, routes) }
}

let count = 0
function newAddress(): `0x${string}` {
  count += 1
  return `0xd${count.toString(16).padStart(39, '0')}`
}

const balanceOf = async (address: string): Promise<unknown> =>
  (await ask({ method: 'GET', url: `/v1/wallets/${address}/balance` })).json()

describe('GET /v1/wallets/:address/balance', () => {
  test('shows the balance of an address, in USDC and in the coin of the chain, in any spelling of the address', async () => {
    const address = newAddress()
    await fund(chain, address, { usdcAtomic: 12_340_000n, wei: 7n })
    const head = Number(await callAnvil(chain.rpcUrl, 'eth_blockNumber', []))
    const shown = walletBalance.parse(await balanceOf(`0x${address.slice(2).toUpperCase()}`))
    expect(shown).toEqual({
      address,
      usdc: '12.34',
      usdc_atomic: '12340000',
      native_wei: '7',
      block_number: head,
    })
  })

  test.each(['0x12', 'me', `0x${'g'.repeat(40)}`])('refuses %s, which is not an address', async wrong => {
    const answer = await ask({ method: 'GET', url: `/v1/wallets/${wrong}/balance` })
    expect([answer.statusCode, answer.json()]).toEqual([
      400,
      { status: 'failed', error_type: 'validation', error: 'address: must be an address' },
    ])
  })

  test('is 503 while the node is unavailable, and asks the node again afterwards', async () => {
    let isAway = true
    const rpc: JsonRpc = {
      ...stage.parts.rpc,
      call: async (...given) => {
        if (isAway) throw new Error('connect ECONNREFUSED')
        return await stage.parts.rpc.call(...given)
      },
    }
    const away = open({ ...stage.parts, rpc })
    const url = `/v1/wallets/${newAddress()}/balance`
    const refused = await away.ask({ method: 'GET', url })
    expect([refused.statusCode, refused.headers['retry-after']]).toEqual([503, '2'])
    expect(refused.body).not.toContain('ECONNREFUSED')
    isAway = false
    expect((await away.ask({ method: 'GET', url })).statusCode).toBe(200)
    await away.app.close()
  })
})

describe('balances are cached', () => {
  const clock = createManualClock()
  let asked: string[] = []
  const rpc: JsonRpc = {
    call: method => {
      asked.push(method)
      return Promise.resolve(method === 'eth_call' ? `0x${'0'.repeat(63)}1` : '0x1')
    },
    close: () => Promise.resolve(),
  }
  beforeEach(() => {
    asked = []
    clock.pass(60_000)
  })
  const open = () => createWalletBalances({ ...stage.parts, clock, rpc })

  test('the node is asked once for all requests about one address in the same second', async () => {
    const [balances, address] = [open(), newAddress()]
    await Promise.all([balances.read(address), balances.read(address)])
    clock.pass(999)
    await balances.read(address)
    expect(asked).toHaveLength(3)
    clock.pass(1)
    await balances.read(address)
    expect(asked).toHaveLength(6)
  })

  test('the oldest of many addresses is dropped, so that the memory is limited', async () => {
    const balances = open()
    const addresses = Array.from({ length: 5_001 }, newAddress)
    for (const address of addresses) await balances.read(address)
    asked = []
    await balances.read(addresses[1] ?? '')
    expect(asked).toHaveLength(0)
    await balances.read(addresses[0] ?? '')
    expect(asked).toHaveLength(3)
  })
})

describe('POST /v1/local/faucet', () => {
  const give = async (address: string): Promise<unknown> =>
    (await ask({ method: 'POST', url: '/v1/local/faucet', payload: { address } })).json()

  test('gives 1,000 test USDC and a tenth of a coin once, also for repeated and concurrent requests', async () => {
    const address = newAddress()
    await balanceOf(address)
    const answers = await Promise.all([give(address), give(address), give(address)])
    for (const answer of [...answers, await give(address)]) {
      expect(faucetAnswer.parse(answer)).toEqual({ usdc: '1000', native_wei: String(10n ** 17n) })
    }
  })

  test('gives once even when the chain responds slowly to the second request', async () => {
    let nonces = 0
    const rpc: JsonRpc = {
      ...stage.parts.rpc,
      call: async (method, parameters) => {
        if (method === 'eth_getTransactionCount' && parameters[1] === 'pending') {
          nonces += 1
          await delay(150 * (nonces - 1))
        }
        return await stage.parts.rpc.call(method, parameters)
      },
    }
    const slow = open({ ...stage.parts, rpc })
    const payload = { address: newAddress() }
    const giveSlowly = () => slow.ask({ method: 'POST', url: '/v1/local/faucet', payload })
    await Promise.all([giveSlowly(), giveSlowly()])
    expect(await balanceOf(payload.address)).toMatchObject({ usdc: '1000', native_wei: String(10n ** 17n) })
    await slow.app.close()
  })

  test('gives only what is missing', async () => {
    const [hasUsdc, hasCoin] = [newAddress(), newAddress()]
    await fund(chain, hasUsdc, { usdcAtomic: 100_000_000n })
    await fund(chain, hasCoin, { usdcAtomic: 99_999_999n, wei: 10n ** 16n })
    expect(await give(hasUsdc)).toEqual({ usdc: '100', native_wei: String(10n ** 17n) })
    expect(await give(hasCoin)).toEqual({ usdc: '1099.999999', native_wei: String(10n ** 16n) })
  })

  test('continues after its account was used by others', async () => {
    const [one, other] = [newAddress(), newAddress()]
    await Promise.all([give(one), fund(chain, other, { usdcAtomic: 1n }), give(other)])
    expect(await balanceOf(one)).toMatchObject({ usdc: '1000' })
    expect(await balanceOf(other)).toMatchObject({ usdc: '1000.000001' })
  })

  test('is 503 when the chain does not respond', async () => {
    const rpc: JsonRpc = { ...stage.parts.rpc, call: () => Promise.reject(new Error('away')) }
    const away = open({ ...stage.parts, rpc })
    const payload = { address: newAddress() }
    expect((await away.ask({ method: 'POST', url: '/v1/local/faucet', payload })).statusCode).toBe(503)
    await away.app.close()
  })
})

describe('POST /v1/local/chain', () => {
  const put = (method: string, params: readonly unknown[]) =>
    ask({ method: 'POST', url: '/v1/local/chain', payload: { method, params } })

  test("returns the chain's answer, or its reason for a refusal", async () => {
    expect((await put('eth_chainId', [])).json()).toEqual({ result: '0x14a34' })
    const refused = await put('eth_sendRawTransaction', ['0x02'])
    expect([refused.statusCode, refused.json()]).toMatchObject([400, { error_type: 'validation' }])
  })

  test.each(['anvil_setBalance', 'eth_sendTransaction', 'personal_sign', 'evm_mine', 'debug_traceCall'])(
    'does not forward %s',
    async method => {
      expect((await put(method, [])).statusCode).toBe(400)
    },
  )

  const LOOP = '0x5b600056'
  const TO = TEST_KEYS.agent.address

  test.each([
    ['code without a contract', [{ data: LOOP }, 'latest']],
    ['gas without end', [{ to: TO, data: LOOP, gas: '0x2386f26fc10000' }, 'latest']],
    ['another state', [{ to: TO }, 'latest', { [TO]: { code: LOOP } }]],
    ['another state, as the block', [{ to: TO }, { [TO]: { code: LOOP } }]],
    ['nothing', []],
  ])('does not run %s', async (_, params) => {
    for (const method of ['eth_call', 'eth_estimateGas']) {
      const refused = await put(method, params)
      expect([refused.statusCode, refused.json()]).toMatchObject([
        400,
        { error: expect.stringMatching(/^params/) },
      ])
    }
  })

  test('ends an endless contract at the gas limit of a block, and the chain still responds', async () => {
    await callAnvil(chain.rpcUrl, 'anvil_setCode', [TEST_KEYS.stranger.address, LOOP])
    const ended = await put('eth_call', [{ to: TEST_KEYS.stranger.address, data: '0x' }, 'latest'])
    expect([ended.statusCode, ended.json()]).toMatchObject([400, { error: expect.stringMatching(/gas/i) }])
    expect((await put('eth_chainId', [])).statusCode).toBe(200)
  })

  test('is 503 when the chain does not respond', async () => {
    const rpc: JsonRpc = { ...stage.parts.rpc, call: () => Promise.reject(new Error('away')) }
    const away = open({ ...stage.parts, rpc })
    const payload = { method: 'eth_chainId', params: [] }
    expect((await away.ask({ method: 'POST', url: '/v1/local/chain', payload })).statusCode).toBe(503)
    await away.app.close()
  })
})

describe('outside local mode', () => {
  const localPaths = (parts: PlatformParts): readonly string[] =>
    platformRoutes(parts)
      .map(({ path }) => path)
      .filter(path => path.startsWith('/v1/local/'))
  const with_ = (settings: Partial<PlatformParts['settings']>): PlatformParts => ({
    ...stage.parts,
    settings: { ...stage.parts.settings, ...settings },
  })

  test('there is no faucet, no first job, and no access to the chain', () => {
    expect(localPaths(with_({}))).toEqual(['/v1/local/faucet', '/v1/local/first-job', '/v1/local/chain'])
    expect(localPaths(with_({ faucetKey: undefined }))).toEqual(['/v1/local/first-job', '/v1/local/chain'])
    expect(localPaths(with_({ localMode: false }))).toEqual([])
  })
})

describe('GET /v1/local/first-job', () => {
  const listed = async (given: AgentInserted, jobsDone: number): Promise<number> => {
    const { agentId } = await insertAgent(stage.database, given)
    await stage.database.inTransaction(client => indexAgent(client, agentId))
    await stage.database.query(
      'test-jobs-done',
      'update search_entries set jobs_done = $2 where agent_id = $1',
      [agentId, jobsDone],
    )
    return agentId
  }
  const askForJob = () => ask({ method: 'GET', url: '/v1/local/first-job' })
  afterEach(async () => {
    await stage.database.query('test-clear', 'truncate agents cascade')
  })

  test('is that of the payable agent with the most jobs, with an input that it accepts', async () => {
    const input_schema: FieldMap = {
      text: { type: 'string', required: true, minLength: 20, maxLength: 20_000 },
      note: { type: 'string', maxLength: 5 },
      link: { type: 'string', required: true, examples: ['https://example.com'] },
      speed: { type: 'integer', minimum: 50, maximum: 1_000, default: 220 },
    }
    const { capabilities } = sampleDeclaration('')
    const declaration = sampleDeclaration(`0x${'ab'.repeat(20)}`, {
      name: 'Busy',
      capabilities: { count: { ...Object(capabilities['count']), input_schema } },
    })
    await listed({}, 3)
    const busy = await listed({ declaration }, 40)
    await listed({ isOffline: true }, 50)
    await listed({ provenWallet: null }, 60)
    await listed({ declaration: null, standing: 'provisional' }, 70)
    const job = firstJob.parse((await askForJob()).json())
    expect(job).toMatchObject({ agent_id: busy, agent_name: 'Busy', capability: 'count', price: '0.01' })
    // An optional field without a default stays empty, because the user would not have seen its value.
    expect(job.input).toEqual({
      text: expect.stringContaining('A fare is paid once.'),
      link: 'https://example.com',
      speed: 220,
    })
    expect(compileInput(input_schema)(job.input as JsonObject)).toMatchObject({ ok: true })
    expect(job.input_schema).toEqual(input_schema)
  })

  test('is 404 when no agent is payable', async () => {
    await listed({ provenWallet: null }, 60)
    expect((await askForJob()).statusCode).toBe(404)
  })
})
