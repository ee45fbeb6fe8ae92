import { systemClock } from '@farebox/protocol/time/clock'
import type { FastifyInstance } from 'fastify'
import { callAnvil } from '@farebox/local/src/chain/anvil-rpc'
import { startChain, type LocalChain } from '@farebox/local/chain/start-chain'
import { fund } from '@farebox/local/chain/faucet'
import { TEST_KEYS } from '@farebox/local/chain/test-keys'
import { createJsonRpc } from '@farebox/payments/chain/json-rpc-pool'
import { findNetwork } from '@farebox/payments/networks'
import type { JobOrder } from '@farebox/platform-api/jobs'
import { until } from '@farebox/protocol/src/test-setup/until'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { createApp } from '../app/create-app.ts'
import type { Background } from '../work/loop.ts'
import { answersAsDocumented } from '../test-setup/answers-as-documented.ts'
import { startChainAgent, type ChainAgent } from '../test-setup/network/chain-agent.ts'
import { insertAgent, sampleDeclaration, type AgentInserted } from '../test-setup/database/insert-agent.ts'
import { signOrder, type OrderTerms } from '../test-setup/runs/job-orders.ts'
import { stagePlatform, type Stage } from '../test-setup/stage-platform.ts'
import { deleteOldContents } from './records/delete-contents.ts'
import { readJob, readRequest } from './records/job-store.ts'
import { jobsRoutes } from './jobs-routes.ts'
import { startJobs } from './drive/start-jobs.ts'

const AGENT = TEST_KEYS.agent.address.toLowerCase()
const OTHER = TEST_KEYS.secondAgent.address.toLowerCase()
const DAY_MS = 86_400_000

let chain: LocalChain
let stage: Stage
let agent: ChainAgent
let app: FastifyInstance
let ask: ReturnType<typeof answersAsDocumented>
let jobs: Background
/** How far the platform's clock is ahead, in milliseconds. */
let aheadMs: number

beforeAll(async () => {
  chain = await startChain()
  await fund(chain, TEST_KEYS.payer.address, { usdcAtomic: 1_000_000_000n })
})
afterAll(async () => {
  await chain.stop()
})

beforeEach(async () => {
  aheadMs = 0
  const clock = { ...systemClock, nowMs: () => Date.now() + aheadMs }
  stage = await stagePlatform({ clock, rpc: createJsonRpc(chain.rpcUrl) })
  agent = await startChainAgent(chain)
  const routes = jobsRoutes(stage.parts)
  app = createApp(stage.parts, routes)
  await app.ready()
  ask = answersAsDocumented(app, routes)
  jobs = startJobs(stage.parts, { pollMs: 20 })
})
afterEach(async () => {
  await jobs.stop()
  await app.close()
  await agent.close()
  await stage.close()
})

async function list(changes: AgentInserted = {}): Promise<void> {
  const { declaration } = agent
  await insertAgent(stage.database, { endpoint: agent.url, wallet: AGENT, declaration, ...changes })
}

async function quote(capability = 'count'): Promise<unknown> {
  const answer = await ask({ method: 'POST', url: '/v1/quotes', payload: { agent_id: 1, capability } })
  return { http: answer.statusCode, ...answer.json<object>() }
}

async function order(terms: Partial<OrderTerms> = {}, changes: Partial<JobOrder> = {}): Promise<unknown> {
  const signed = await signOrder(stage.parts, { endpoint: agent.url, ...terms })
  const answer = await ask({ method: 'POST', url: '/v1/jobs', payload: { ...signed, ...changes } })
  return { http: answer.statusCode, ...answer.json<object>() }
}

const saying = (http: number, ...words: readonly string[]): unknown =>
  expect.objectContaining({ http, error: expect.stringMatching(new RegExp(words.join('.*'), 'is')) })

test.each<readonly [string, AgentInserted, RegExp]>([
  ['offline', { isOffline: true }, /is offline/],
  ['of an unproven wallet', { provenWallet: OTHER }, new RegExp(`${AGENT}.*${OTHER}`)],
  ['of no proven wallet', { provenWallet: null }, new RegExp(`${AGENT}.*none`)],
  ['taken down', { standing: 'taken-down' }, /not listed.*taken-down/],
  ['provisional', { standing: 'provisional', declaration: null }, /serves no \/about/],
])('an agent that is %s gets neither a quote nor a job', async (_, changes, words) => {
  await list(changes)
  expect(await quote()).toMatchObject({
    http: 409,
    error_type: 'conflict',
    error: expect.stringMatching(words),
  })
  expect(await order()).toMatchObject({
    http: 409,
    error_type: 'conflict',
    error: expect.stringMatching(words),
  })
  expect(agent.seen).toHaveLength(0)
})

test('PAY-38 a quote with another price, wallet or network than registered is refused with both values', async () => {
  await list()
  agent.asks = { amountAtomic: 20_000n }
  expect(await quote()).toEqual(saying(409, '10000', '20000'))
  agent.asks = { payTo: TEST_KEYS.stranger.address }
  expect(await quote()).toEqual(saying(409, AGENT, '0x23618e81'))
  const polygon = findNetwork('eip155:137')
  agent.asks = { ...(polygon && { network: polygon }) }
  expect(await quote()).toEqual(saying(409, 'eip155:84532', 'eip155:137'))
})

test('an agent that does not answer, or asks for no payment, has no quote', async () => {
  await list()
  expect(await quote('divine')).toEqual(saying(400, 'Unknown capability "divine". Available: count'))
  await agent.close()
  expect(await quote()).toEqual(saying(502, 'did not answer: unreachable'))
  agent = await startChainAgent(chain)
})

test('a recent price rise is shown before the payment; an old one, or a fall, is not', async () => {
  await list({ atMs: Date.now() - 30 * DAY_MS })
  const cheap = structuredClone(sampleDeclaration(AGENT))
  const history = async (daysAgo: number, amount: string): Promise<unknown> => {
    const before = {
      ...cheap,
      capabilities: {
        count: { ...cheap.capabilities['count'], pricing: { model: 'per_job', amount, currency: 'USDC' } },
      },
    }
    await stage.database.pool.query('delete from agent_declarations')
    await stage.database.pool.query(
      `insert into agent_declarations values (1, 1, $1, $2, 'first', '[]'), (1, 2, $3, $4, 'price', '[]')`,
      [new Date(0), JSON.stringify(before), new Date(Date.now() - daysAgo * DAY_MS), JSON.stringify(cheap)],
    )
    return await quote()
  }
  expect(await history(1, '0.002')).toMatchObject({ price_changed: { from: '0.002', to: '0.01' } })
  expect(await history(8, '0.002')).toMatchObject({ price_changed: null })
  expect(await history(1, '0.05')).toMatchObject({ price_changed: null })
})

test('D5 a payment that does not pay this job is refused, and nothing is sent', async () => {
  await list()
  const refused: readonly [Partial<OrderTerms>, Partial<JobOrder>, string][] = [
    [{ amountAtomic: 9_999n }, {}, 'exactly 10000'],
    [{ payTo: OTHER }, {}, 'another wallet'],
    [{ validSeconds: 5 }, {}, 'validBefore'],
    [{ validSeconds: 90_000 }, {}, 'within 24 h'],
    [{}, { job_id: crypto.randomUUID() }, 'bound to another job'],
    [{ endpoint: 'http://elsewhere' }, {}, 'bound to another job'],
    [{}, { payment: 'bm8=' }, 'must be base64 of a JSON object'],
  ]
  for (const [terms, changes, words] of refused)
    expect(await order(terms, changes)).toEqual(saying(402, words))
  expect(agent.seen).toHaveLength(0)
  expect((await stage.database.pool.query('select 1 from jobs')).rowCount).toBe(0)
})

test('an input, deadline or job_id that the agent would refuse is refused before the payment is sent', async () => {
  await list()
  const refused: readonly [Partial<JobOrder>, string][] = [
    [{ input: {} }, 'input.text: is required'],
    [{ input: { text: 'x'.repeat(101) } }, 'input.text: '],
    [{ deadline: 1 }, 'deadline: has passed'],
    [{ deadline: Date.now() }, 'milliseconds'],
    [{ job_id: '6ba7b810-9dad-11d1-80b4-00c04fd430c8' }, 'job_id: '],
    [{ capability: '__proto__' }, 'Unknown capability'],
    [{ input: { text: 'a', more: 'x'.repeat(1_048_576) } }, '1048576 bytes'],
  ]
  for (const [changes, words] of refused) expect(await order({}, changes)).toEqual(saying(400, words))
  expect(await order({ agentId: 7 })).toEqual(saying(404, 'no agent 7'))
  expect(agent.seen).toHaveLength(0)
})

test('a payer whose jobs repeatedly fail unpaid can order two hundred in an hour', async () => {
  await list()
  agent.behave = () =>
    Promise.resolve({
      status: 402,
      body: { status: 'failed', error_type: 'payment', error: 'No funds', service_version: '1.0' },
    })
  expect(await order()).toMatchObject({ status: 'failed', payment: { status: 'open' } })
  await jobs.stop()
  const { rows } = await stage.database.pool.query<{ columns: string }>(
    `select string_agg(column_name, ', ') as columns from information_schema.columns
     where table_schema = $1 and table_name = 'jobs' and column_name not in ('job_id', 'nonce')`,
    [stage.database.schema],
  )
  const columns = rows[0]?.columns ?? ''
  await stage.database.pool.query(
    `insert into jobs (job_id, nonce, ${columns})
     select gen_random_uuid(), '0x' || repeat(md5(number::text), 2), ${columns}
     from jobs, generate_series(1, 199) as number`,
  )
  expect(await order()).toEqual(saying(429, 'this payer ordered 200 jobs in the last hour whose payments'))
  await stage.database.pool.query(`update jobs set created_at = created_at - interval '1 hour'`)
  jobs = startJobs(stage.parts, { pollMs: 20 })
  expect(await order()).toMatchObject({ http: 200, status: 'failed' })
})

test('after thirty days input and output of finished jobs are deleted', async () => {
  await list()
  const done = (await order()) as { readonly job_id: string }
  jobs = await restartWithout(jobs)
  const open = (
    await ask({
      method: 'POST',
      url: '/v1/jobs?wait=false',
      payload: await signOrder(stage.parts, { endpoint: agent.url }),
    })
  ).json<{ readonly job_id: string }>()
  expect(await deleteOldContents(stage.database, Date.now() + 29 * DAY_MS)).toBe(0)
  expect(await deleteOldContents(stage.database, Date.now() + 31 * DAY_MS)).toBe(1)
  expect(await readJob(stage.database, done.job_id)).toMatchObject({
    responseBody: undefined,
    state: 'completed',
    receipt: expect.any(String),
  })
  expect(await readRequest(stage.database, done.job_id)).toBeUndefined()
  expect(await readRequest(stage.database, open.job_id)).toContain('two words')
})

async function restartWithout(running: Background): Promise<Background> {
  await running.stop()
  return { stop: () => Promise.resolve() }
}

test('a payment that expired unused is void: its job stays expired, and the agent is not asked again', async () => {
  agent.declaration = { ...agent.declaration, max_deadline_seconds: 1 }
  await list()
  agent.behave = () => Promise.resolve({ status: 502, body: 'Bad gateway' })
  expect(await order({ validSeconds: 300 })).toMatchObject({ http: 202, status: 'expired', charged: null })
  // The chain's own time decides (D8).
  await callAnvil(chain.rpcUrl, 'evm_increaseTime', [421])
  await callAnvil(chain.rpcUrl, 'evm_mine', [])
  aheadMs = 421_000
  const { rows } = await stage.database.pool.query<{ job_id: string }>('select job_id from jobs')
  const jobId = rows[0]?.job_id ?? ''
  await until(async () => (await readJob(stage.database, jobId))?.nextDueAtMs === undefined)
  expect(await readJob(stage.database, jobId)).toMatchObject({
    state: 'expired',
    payment: 'dead',
    transaction: undefined,
    sealedPayment: undefined,
  })
})
