import { startChain, type LocalChain } from '@farebox/local/chain/start-chain'
import { fund } from '@farebox/local/chain/faucet'
import { TEST_KEYS } from '@farebox/local/chain/test-keys'
import { createJsonRpc } from '@farebox/payments/chain/json-rpc-pool'
import { createJsonLog } from '@farebox/server/log'
import { until } from '@farebox/protocol/src/test-setup/until'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { startJobs } from '../jobs/drive/start-jobs.ts'
import type { PlatformParts } from '../platform-parts.ts'
import type { Background } from '../work/loop.ts'
import { honestly, startChainAgent, type ChainAgent } from '../test-setup/network/chain-agent.ts'
import { insertAgent } from '../test-setup/database/insert-agent.ts'
import { stagePlatform, type Stage } from '../test-setup/stage-platform.ts'
import { spentOnOwner, takeFromBudget } from './canary-budget.ts'
import { readLastCanary, type LastCanary } from './canary-store.ts'
import { startCanary } from './start-canary.ts'

const KEY = TEST_KEYS.secondPayer.privateKey
const AGENT = TEST_KEYS.agent.address.toLowerCase()

let chain: LocalChain
let stage: Stage
let agent: ChainAgent
let running: Background[]
let lines: string[]

beforeAll(async () => {
  chain = await startChain()
  await fund(chain, TEST_KEYS.secondPayer.address, { usdcAtomic: 1_000_000n })
})
afterAll(async () => {
  await chain.stop()
})

beforeEach(async () => {
  lines = []
  running = []
  stage = await stagePlatform({
    realTime: true,
    rpc: createJsonRpc(chain.rpcUrl),
    log: createJsonLog(line => void lines.push(line), Date.now),
    settings: { canaryKey: KEY, canaryBudgetAtomic: 25_000n },
  })
  agent = await startChainAgent(chain)
  running.push(startJobs(stage.parts, { pollMs: 20 }))
})
afterEach(async () => {
  for (const one of running.toReversed()) await one.stop()
  await agent.close()
  await stage.close()
})

async function list(changes: Parameters<typeof insertAgent>[1] = {}): Promise<number> {
  const { declaration } = agent
  const { agentId } = await insertAgent(stage.database, {
    endpoint: agent.url,
    wallet: AGENT,
    declaration,
    ...changes,
  })
  await stage.database.pool.query('insert into canaries (agent_id, next_run_at) values ($1, now())', [
    agentId,
  ])
  return agentId
}

function begin(parts: PlatformParts = stage.parts): void {
  running.push(startCanary(parts, { roundMs: 50 }))
}

async function outcomeOf(agentId: number): Promise<LastCanary> {
  return await until(async () => {
    const last = await readLastCanary(stage.database, agentId)
    return last?.outcome === undefined ? undefined : last
  })
}

async function canaryJobs(): Promise<readonly { readonly kind: string; readonly payer: string }[]> {
  const { rows } = await stage.database.pool.query<{ kind: string; payer: string }>(
    'select kind, payer from jobs',
  )
  return rows
}

test('a working agent is tried with a valid sample, paid by the platform, and recorded as working', async () => {
  const agentId = await list()
  begin()
  expect(await outcomeOf(agentId)).toMatchObject({ outcome: 'ok', reason: undefined })
  expect(await canaryJobs()).toEqual([{ kind: 'canary', payer: TEST_KEYS.secondPayer.address.toLowerCase() }])
  expect(lines.join('\n')).toContain('daily job')
  for (const secret of [KEY.slice(2), agent.seen[0]?.header ?? ''])
    expect(lines.join('\n')).not.toContain(secret)
  const { rows } = await stage.database.pool.query<{ hours: number }>(
    'select (extract(epoch from next_run_at - now()) / 3600)::float8 as hours from canaries',
  )
  expect(rows[0]?.hours).toBeGreaterThan(22)
})

test('an agent that fails, lies about its price or delivers invalid output is recorded as failed', async () => {
  agent.behave = () =>
    Promise.resolve({
      status: 500,
      body: { status: 'failed', error_type: 'internal', error: 'Internal error' },
    })
  const first = await list()
  begin()
  expect(await outcomeOf(first)).toMatchObject({ outcome: 'failed', reason: 'Internal error' })
  agent.behave = async call => call.complete(await call.settle(), { words: 'two' })
  const second = await list({ endpoint: agent.url.replace('127.0.0.1', 'localhost') })
  expect(await outcomeOf(second)).toMatchObject({
    outcome: 'failed',
    reason: expect.stringContaining('words: '),
  })
  agent.asks = { amountAtomic: 20_000n }
  const third = await list({ endpoint: `${agent.url}/third` })
  expect(await outcomeOf(third)).toMatchObject({
    outcome: 'failed',
    reason: expect.stringContaining('price'),
  })
  expect(agent.seen).toHaveLength(2)
  // Only invalid output ends other payments until the agent works again; a failure or a new price may have other reasons.
  const problems = async (): Promise<readonly unknown[]> => {
    const { rows } = await stage.database.pool.query<{ payment_problem: string | null }>(
      'select payment_problem from agents order by agent_id',
    )
    return rows.map(row => row.payment_problem)
  }
  expect(await problems()).toEqual([
    null,
    expect.stringMatching(/^the platform's daily job failed: its output breaks its own schema: words: /),
    null,
  ])
  agent.asks = {}
  agent.behave = honestly
  await stage.database.pool.query('truncate canary_days, canary_owner_days')
  await stage.database.pool.query('update canaries set next_run_at = now() where agent_id = $1', [second])
  await until(async () => (await readLastCanary(stage.database, second))?.outcome === 'ok')
  expect(await problems()).toEqual([null, null, null])
})

test('the budget of a day is never exceeded by concurrent payments', async () => {
  const another = (await stage.anotherWorker()).database
  const nowMs = Date.now()
  const taken = await Promise.all(
    Array.from({ length: 40 }, (_, index) =>
      takeFromBudget(index % 2 === 0 ? stage.database : another, {
        owner: `0x${index}`,
        priceAtomic: 10_000n,
        budgetAtomic: 95_000n,
        nowMs,
      }),
    ),
  )
  expect(taken.filter(one => one === 'taken')).toHaveLength(9)
  expect(new Set(taken)).toEqual(new Set(['taken', 'day-is-spent']))
  const tomorrow = {
    owner: 'another',
    priceAtomic: 10_000n,
    budgetAtomic: 95_000n,
    nowMs: nowMs + 86_400_000,
  }
  expect(await takeFromBudget(another, tomorrow)).toBe('taken')
  // Prices refused by the day's budget were not counted for their owners.
  const spent = await Promise.all(taken.map((_, index) => spentOnOwner(another, `0x${index}`, nowMs)))
  expect(spent.filter(atomic => atomic > 0n)).toHaveLength(9)
})

test('the limit of an owner is never exceeded by concurrent trials, and is available again after thirty days', async () => {
  const another = (await stage.anotherWorker()).database
  const [nowMs, day] = [Date.now(), 86_400_000]
  const take = (database = another, atMs = nowMs): Promise<string> =>
    takeFromBudget(database, {
      owner: AGENT,
      priceAtomic: 60_000n,
      budgetAtomic: 100_000_000n,
      nowMs: atMs,
    })
  const taken = await Promise.all(
    Array.from({ length: 30 }, (_, index) => take(index % 2 === 0 ? stage.database : another)),
  )
  expect(taken.filter(one => one === 'taken')).toHaveLength(8)
  expect(new Set(taken)).toEqual(new Set(['taken', 'owner-is-spent']))
  expect(await spentOnOwner(another, AGENT, nowMs)).toBe(480_000n)
  expect(await take(another, nowMs + 29 * day)).toBe('owner-is-spent')
  expect(await take(another, nowMs + 31 * day)).toBe('taken')
})

test('an agent that exceeds the budget, costs too much or is offline is skipped, with nothing signed', async () => {
  const { capabilities } = agent.declaration
  const priced = (amount: string) => ({
    ...agent.declaration,
    capabilities: {
      count: { ...capabilities['count'], pricing: { model: 'per_job', amount, currency: 'USDC' } },
    },
  })
  agent.declaration = priced('0.03') as typeof agent.declaration
  const overBudget = await list()
  const overPrice = await list({
    declaration: priced('0.06') as typeof agent.declaration,
    endpoint: `${agent.url}/b`,
  })
  const offline = await list({ isOffline: true, endpoint: `${agent.url}/c` })
  begin()
  for (const [agentId, why] of [
    [overBudget, "the day's budget is used up"],
    [overPrice, 'costs more than 0.05 USDC'],
    [offline, 'offline'],
  ] as const) {
    await until(async () => (await skipReason(agentId)) !== null)
    expect(await skipReason(agentId)).toContain(why)
  }
  expect(agent.seen).toHaveLength(0)
  expect(await canaryJobs()).toEqual([])
})

async function skipReason(agentId: number): Promise<string | null | undefined> {
  const { rows } = await stage.database.pool.query<{ reason: string | null }>(
    `select reason from canaries where agent_id = $1 and outcome = 'skipped'`,
    [agentId],
  )
  return rows.length === 0 ? null : rows[0]?.reason
}

test('three workers try one agent once, and an empty wallet of the platform does not count against it', async () => {
  const agentId = await list()
  const others = await Promise.all([stage.anotherWorker(), stage.anotherWorker()])
  for (const parts of [stage.parts, ...others]) begin(parts)
  await outcomeOf(agentId)
  expect(await canaryJobs()).toHaveLength(1)
  const poor = await stage.anotherWorker({
    settings: { ...stage.parts.settings, canaryKey: TEST_KEYS.thirdAgent.privateKey },
  })
  for (const one of running.splice(1)) await one.stop()
  const second = await list({ endpoint: `${agent.url}/d` })
  begin(poor)
  await until(async () => (await skipReason(second)) !== null)
  expect(await skipReason(second)).toContain('empty')
})

test('without a key or a budget no agent is tried', async () => {
  await list()
  const parts = { ...stage.parts, settings: { ...stage.parts.settings, canaryBudgetAtomic: 0n } }
  const idle = startCanary(parts, { roundMs: 1 })
  await idle.stop()
  expect(await canaryJobs()).toEqual([])
})
