import { systemClock, type Clock } from '@farebox/protocol/time/clock'
import type { FastifyInstance } from 'fastify'
import type { Flow } from '@farebox/flows/document/flow'
import { startChain, type LocalChain } from '@farebox/local/chain/start-chain'
import { fund } from '@farebox/local/chain/faucet'
import { TEST_KEYS } from '@farebox/local/chain/test-keys'
import { createJsonRpc } from '@farebox/payments/chain/json-rpc-pool'
import { parseTraceparent } from '@farebox/protocol/src/trace/traceparent'
import { until } from '@farebox/protocol/src/test-setup/until'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { createApp } from '../app/create-app.ts'
import { PROOF_WITHIN_MS } from '../jobs/drive/record-answer.ts'
import { startJobs } from '../jobs/drive/start-jobs.ts'
import { jobsRoutes } from '../jobs/jobs-routes.ts'
import type { Background } from '../work/loop.ts'
import { answersAsDocumented } from '../test-setup/answers-as-documented.ts'
import { startChainAgent, type ChainAgent } from '../test-setup/network/chain-agent.ts'
import { insertAgent, sampleDeclaration } from '../test-setup/database/insert-agent.ts'
import {
  flowOf,
  jobStep,
  runsThrough,
  signStep,
  type RunsByHand,
  type StepAgent,
} from '../test-setup/runs/run-flows.ts'
import { stagePlatform, type Stage } from '../test-setup/stage-platform.ts'
import { PRICES_WITHIN_MS } from './drive/ask-prices.ts'
import { startRuns } from './drive/start-runs.ts'
import { renewRuns, type KeptOn } from './records/run-leases.ts'
import { runsRoutes } from './runs-routes.ts'

const PAYER = TEST_KEYS.payer.address.toLowerCase()
const WALLET = TEST_KEYS.agent.address

let chain: LocalChain
let stage: Stage
let counter: ChainAgent
let shouter: ChainAgent
let count: StepAgent
let shout: StepAgent
let app: FastifyInstance
let runs: RunsByHand
let ask: ReturnType<typeof answersAsDocumented>
let background: readonly Background[]

const SHOUTS = sampleDeclaration(WALLET, {
  name: 'Shout',
  capabilities: {
    shout: {
      description: 'In capitals',
      pricing: { model: 'per_job', amount: '0.002', currency: 'USDC' },
      input_schema: { text: { type: 'string', required: true, maxLength: 100 } },
      output_schema: { text: { type: 'string' } },
    },
  },
})

beforeAll(async () => {
  chain = await startChain()
  await fund(chain, PAYER, { usdcAtomic: 1_000_000_000n })
})
afterAll(async () => await chain.stop())

beforeEach(async () => {
  stage = await stagePlatform({ realTime: true, rpc: createJsonRpc(chain.rpcUrl) })
  counter = await startChainAgent(chain)
  shouter = await startChainAgent(chain)
  shouter.declaration = SHOUTS
  shouter.behave = async call => {
    const { task } = JSON.parse(call.body) as { readonly task: { readonly input: { readonly text: string } } }
    return call.complete(await call.settle(), { text: task.input.text.toUpperCase() })
  }
  const wallet = WALLET.toLowerCase()
  count = await list(counter, wallet)
  shout = await list(shouter, wallet)
  const routes = [...jobsRoutes(stage.parts), ...runsRoutes(stage.parts)]
  app = createApp(stage.parts, routes)
  await app.ready()
  ask = answersAsDocumented(app, routes)
  runs = runsThrough(ask)
  background = [startJobs(stage.parts, { pollMs: 50 }), startRuns(stage.parts, { pollMs: 50 })]
})
afterEach(async () => {
  for (const one of background.toReversed()) await one.stop()
  await app.close()
  await counter.close()
  await shouter.close()
  await stage.close()
})

async function list(agent: ChainAgent, wallet: string): Promise<StepAgent> {
  const { declaration } = agent
  const { agentId } = await insertAgent(stage.database, { endpoint: agent.url, wallet, declaration })
  return { agentId, url: agent.url, declaration }
}

/** A flow that converts a text to upper case, then counts its words. */
async function twoSteps(): Promise<Flow> {
  const steps = { loud: await jobStep(shout), words: await jobStep(count) }
  return flowOf(steps, ['input.text > loud.text', 'loud.text > words.text', 'words.words > output.words'])
}

/** Drives runs with a clock that does not advance, so that scheduled work never becomes due. */
async function stopTime(given: Partial<Stage['parts']> = {}): Promise<void> {
  await background[1]?.stop()
  const nowMs = Date.now()
  const clock = { ...systemClock, nowMs: () => nowMs }
  background = [...background, startRuns({ ...stage.parts, clock, ...given }, { pollMs: 50 })]
}

async function dumpOfPayments(): Promise<string> {
  const { rows } = await stage.database.pool.query(
    'select (select json_agg(run_payments) from run_payments) as brought, (select json_agg(jobs) from jobs) as jobs, (select json_agg(runs) from runs) as runs',
  )
  return JSON.stringify(rows)
}

test('a run orders each step when its inputs are available, with the payment signed for it, and charges each once', async () => {
  const flow = await twoSteps()
  const payments = [await signStep(stage.parts, shout, 'loud'), await signStep(stage.parts, count, 'words')]
  const started = await runs.start(flow, { payments })
  const run = await started.until(({ status }) => status === 'completed')
  expect(run).toMatchObject({
    paid: '0.012',
    exposed: '0',
    ready: '0',
    payer: PAYER,
    output: { words: 2 },
    waiting: [],
  })
  expect(run.steps.map(({ step, state }) => [step, state])).toEqual([
    ['loud', 'done'],
    ['words', 'done'],
  ])
  expect(run.steps[1]?.jobs[0]).toMatchObject({
    input: { text: 'TWO WORDS' },
    payment: { state: 'paid', amount: '0.01' },
    job: { status: 'completed', transaction: expect.stringMatching(/^0x/) as unknown },
  })
  expect([shouter.seen.length, counter.seen.length]).toEqual([1, 1])
  // The run's token gives access to its jobs, and no other token does.
  const url = `/v1/jobs/${payments[0]?.job_id}`
  const read = await ask({ method: 'GET', url, headers: { 'run-token': started.token } })
  expect([read.statusCode, read.json<{ status: string }>().status]).toEqual([200, 'completed'])
  expect((await ask({ method: 'GET', url, headers: { 'run-token': 'x'.repeat(43) } })).statusCode).toBe(404)
  // The database has no usable payment left, and never had one in plain text.
  const dump = await dumpOfPayments()
  for (const { payment } of payments) expect(dump).not.toContain(payment)
  expect(dump).toContain('"sealed_payment":null')
})

test('all jobs of a run are sent to their agents with the trace that the run was started with', async () => {
  const trace = '4bf92f3577b34da6a3ce929d0e0e4736'
  const payments = [await signStep(stage.parts, shout, 'loud'), await signStep(stage.parts, count, 'words')]
  const headers = { traceparent: `00-${trace}-00f067aa0ba902b7-01` }
  const started = await runs.start(await twoSteps(), { payments }, headers)
  await started.until(({ status }) => status === 'completed')
  const sent = [shouter, counter].map(({ seen }) => parseTraceparent(String(seen[0]?.traceparent)))
  expect(sent).toMatchObject([{ id: trace }, { id: trace }])
  expect(sent[0]?.parentId).not.toBe(sent[1]?.parentId)
})

test('a step without a payment waits for it, and continues when it arrives', async () => {
  const started = await runs.start(await twoSteps(), {
    payments: [await signStep(stage.parts, shout, 'loud')],
  })
  const waiting = await started.until(({ status }) => status === 'waiting')
  expect(waiting).toMatchObject({
    waiting: [{ for: 'payment', key: 'words', because: { kind: 'none' } }],
    paid: '0.002',
  })
  expect(counter.seen).toHaveLength(0)
  expect(await started.pay(await signStep(stage.parts, count, 'words'))).toMatchObject({ status: 200 })
  expect(await started.until(({ status }) => status === 'completed')).toMatchObject({ paid: '0.012' })
})

test('a failed step is not charged; the steps after it wait; it is sent again with the same payment', async () => {
  let failures = 0
  shouter.behave = async call => {
    failures += 1
    if (failures > 1) return call.complete(await call.settle(), { text: 'TWO WORDS' })
    return { status: 500, body: { status: 'failed', error_type: 'internal', error: 'Internal error' } }
  }
  const started = await runs.start(await twoSteps(), {
    payments: [await signStep(stage.parts, shout, 'loud'), await signStep(stage.parts, count, 'words')],
  })
  const failed = await started.until(({ status }) => status === 'waiting')
  expect(failed).toMatchObject({
    paid: '0',
    exposed: '0.002',
    ready: '0.01',
    waiting: [{ for: 'retry', key: 'loud' }],
  })
  expect(failed.steps[0]?.jobs[0]).toMatchObject({ state: 'failed', attempt: 1, error: 'Internal error' })
  expect(await started.tell('retry', { key: 'loud' })).toMatchObject({ status: 200 })
  const run = await started.until(({ status }) => status === 'completed')
  expect(run.paid).toBe('0.012')
  expect(new Set(shouter.seen.map(({ header }) => header)).size).toBe(1)
  expect(shouter.seen).toHaveLength(2)
})

test('an agent that asks for more than was signed gets nothing: the payment is deleted, and another one requested', async () => {
  shouter.asks = { amountAtomic: 3_000n }
  const payment = await signStep(stage.parts, shout, 'loud')
  const started = await runs.start(await twoSteps(), { payments: [payment] })
  const run = await started.until(({ status }) => status === 'waiting')
  expect(run.waiting[0]).toMatchObject({
    for: 'payment',
    key: 'loud',
    because: { kind: 'changed', price: '0.003', pay_to: WALLET.toLowerCase() },
  })
  expect(run).toMatchObject({ paid: '0', exposed: '0', ready: '0' })
  expect(shouter.seen).toHaveLength(0)
  const { rows } = await stage.database.pool.query('select sealed_payment from run_payments')
  expect(rows).toEqual([{ sealed_payment: null }])
})

test('cancelling deletes every payment that was not sent, and none of them can be used', async () => {
  const steps = Object.fromEntries(
    await Promise.all(Array.from({ length: 10 }, async (_, at) => [`s${at}`, await jobStep(shout)] as const)),
  )
  const wires = Array.from(
    { length: 10 },
    (_, at) => `${at === 0 ? 'input' : `s${at - 1}`}.text > s${at}.text`,
  )
  // The third job is still in progress.
  let sent = 0
  let answer: (() => void) | undefined
  shouter.behave = async call => {
    sent += 1
    if (sent === 3) await new Promise<void>(resolve => (answer = resolve))
    return call.complete(await call.settle(), { text: 'LOUD' })
  }
  const keys = Object.keys(steps)
  const payments = await Promise.all(keys.map(key => signStep(stage.parts, shout, key)))
  const started = await runs.start(flowOf(steps, [...wires, 's9.text > output.text']), { payments })
  await until(() => answer !== undefined)
  await started.until(({ paid, exposed }) => paid === '0.004' && exposed === '0.002')
  expect(await started.tell('cancel')).toMatchObject({
    status: 200,
    body: { status: 'cancelled', ready: '0' },
  })
  answer?.()
  const run = await started.until(({ exposed }) => exposed === '0')
  expect(run).toMatchObject({ status: 'cancelled', paid: '0.006', ready: '0' })
  expect(run.ended_at).not.toBeNull()
  const { rows } = await stage.database.pool.query<{ left: number; used: number }>(
    `select count(sealed_payment)::int as left, (select count(*)::int from jobs) as used from run_payments`,
  )
  expect(rows[0]).toEqual({ left: 0, used: 3 })
  expect(sent).toBe(3)
  // No further payment is accepted, and a deleted one is not accepted again.
  expect(await started.pay(payments[8] ?? payments[0] ?? never())).toMatchObject({ status: 409 })
  expect(await started.tell('resume')).toMatchObject({ status: 409 })
})

test('a price that arrives while its run is being written is not lost', async () => {
  const { database } = stage.parts
  const slow: typeof database = {
    ...database,
    async query(name, text, values) {
      if (name === 'write-run') await new Promise(resolve => setTimeout(resolve, 300))
      return await database.query(name, text, values)
    },
  }
  await stopTime({ database: slow })
  // Later than the run waits for it, and before the run is written.
  counter.asks = { afterMs: 150 }
  const started = await runs.start(await twoSteps(), {
    payments: [await signStep(stage.parts, shout, 'loud'), await signStep(stage.parts, count, 'words')],
  })
  await started.until(({ status }) => status === 'completed')
})

test('a run whose jobs end in its own process is neither leased nor compared with its jobs again', async () => {
  const { database } = stage.parts
  const asked: string[] = []
  const watched: typeof database = {
    ...database,
    async query(name, text, values) {
      const rows = await database.query(name, text, values)
      if (name !== 'take-runs' || rows.length > 0) asked.push(name)
      return rows as never
    },
  }
  // The timeouts for prices and proofs never elapse, so the run always waits for them.
  const nowMs = Date.now()
  const isPatient = (ms: number): boolean => ms === PRICES_WITHIN_MS || ms === PROOF_WITHIN_MS
  const clock: Clock = {
    ...systemClock,
    nowMs: () => nowMs,
    after: (ms, callback) => systemClock.after(isPatient(ms) ? 600_000 : ms, callback),
  }
  for (const one of background.toReversed()) await one.stop()
  const patient = { ...stage.parts, clock, database: watched }
  background = [startJobs(patient, { pollMs: 50 }), startRuns(patient, { pollMs: 50 })]
  const times = (name: string): number => asked.filter(one => one === name).length
  const started = await runs.start(await twoSteps(), {
    payments: [await signStep(stage.parts, shout, 'loud'), await signStep(stage.parts, count, 'words')],
  })
  await started.until(({ status }) => status === 'completed')
  expect([times('take-runs'), times('read-sent-jobs')]).toEqual([1, 0])
})

test('a process that keeps a run is notified at once of a change by another process', async () => {
  const other = await stage.anotherWorker()
  const routes = runsRoutes(other)
  const elsewhere = createApp(other, routes)
  await elsewhere.ready()
  const asks = answersAsDocumented(elsewhere, routes)
  let answer: (() => void) | undefined
  shouter.behave = async call => {
    await new Promise<void>(resolve => (answer = resolve))
    return call.complete(await call.settle(), { text: 'TWO WORDS' })
  }
  const started = await runs.start(await twoSteps(), {
    payments: [await signStep(stage.parts, shout, 'loud'), await signStep(stage.parts, count, 'words')],
  })
  const tell = async (what: string): Promise<number> => {
    const headers = { 'run-token': started.token }
    const told = await asks({
      method: 'POST',
      url: `/v1/runs/${started.runId}/${what}`,
      headers,
      payload: {},
    })
    return told.statusCode
  }
  await until(() => answer !== undefined)
  expect(await tell('pause')).toBe(200)
  answer?.()
  await started.until(({ status, paid }) => status === 'paused' && paid === '0.002')
  expect(counter.seen).toHaveLength(0)
  expect(await tell('resume')).toBe(200)
  const run = await started.until(({ status }) => status === 'completed')
  expect(run.paid).toBe('0.012')
  await elsewhere.close()
})

test('the same payments sent again, after a lost response, change nothing', async () => {
  const failure = { status: 'failed', error_type: 'internal', error: 'Out of ink' }
  counter.behave = () => Promise.resolve({ status: 500, body: failure })
  const started = await runs.start(await twoSteps())
  const payments = [await signStep(stage.parts, shout, 'loud'), await signStep(stage.parts, count, 'words')]
  for (const _ of [1, 2, 3]) expect(await started.pay(...payments)).toMatchObject({ status: 200 })
  const run = await started.until(({ status }) => status === 'waiting')
  expect(run).toMatchObject({ paid: '0.002', exposed: '0.01' })
  expect([shouter.seen.length, counter.seen.length]).toEqual([1, 1])
})

test('a payment whose job_id is in use for an order is not accepted for a run', async () => {
  const payment = await signStep(stage.parts, shout, 'loud')
  const order = {
    agent_id: shout.agentId,
    capability: 'shout',
    input: { text: 'mine' },
    deadline: Date.now() / 1_000 + 300,
  }
  const ordered = await ask({
    method: 'POST',
    url: '/v1/jobs',
    payload: { ...order, job_id: payment.job_id, payment: payment.payment },
  })
  expect(ordered.statusCode).toBe(200)
  await expect(runs.start(await twoSteps(), { payments: [payment] })).rejects.toThrow(
    /HTTP 409: .*payments: loud: its job_id is in use for another order/,
  )
})

test('a run is notified when its payer has used its payment for another order', async () => {
  let answer: (() => void) | undefined
  shouter.behave = async call => {
    await new Promise<void>(resolve => (answer = resolve))
    return call.complete(await call.settle(), { text: 'MINE' })
  }
  const payment = await signStep(stage.parts, shout, 'loud')
  const started = await runs.start(await twoSteps())
  const order = {
    agent_id: shout.agentId,
    capability: 'shout',
    input: { text: 'mine' },
    deadline: Date.now() / 1_000 + 300,
  }
  const payload = { ...order, job_id: payment.job_id, payment: payment.payment }
  // The run has the payment, but is paused and does not order, when the other order arrives.
  await started.tell('pause')
  await started.pay(payment)
  const ordered = await ask({ method: 'POST', url: '/v1/jobs?wait=false', payload })
  expect(ordered.statusCode).toBe(202)
  await started.tell('resume')
  await started.until(({ exposed }) => exposed === '0.002')
  await until(() => answer !== undefined)
  answer?.()
  expect(await started.until(({ paid }) => paid === '0.002')).toMatchObject({ exposed: '0' })
})

test('a run is notified when its payer has used its payment directly, whichever process ends that job', async () => {
  let answer: (() => void) | undefined
  shouter.behave = async call => {
    await new Promise<void>(resolve => (answer = resolve))
    return call.complete(await call.settle(), { text: 'TWO WORDS' })
  }
  await stopTime()
  const payment = await signStep(stage.parts, shout, 'loud')
  const started = await runs.start(await twoSteps())
  await started.tell('pause')
  await started.pay(payment)
  // The same order that the run would place: the run treats it as its own until it reads the job's row.
  const payload = {
    agent_id: shout.agentId,
    capability: 'shout',
    input: { text: 'two words' },
    deadline: Date.now() / 1_000 + 300,
    job_id: payment.job_id,
    payment: payment.payment,
  }
  await until(async () => (await started.read()).status === 'paused')
  expect((await ask({ method: 'POST', url: '/v1/jobs?wait=false', payload })).statusCode).toBe(202)
  await started.tell('resume')
  await started.until(({ exposed }) => exposed === '0.002')
  // Its process keeps the run, or has compared it with the job's row and left it until it is due.
  const kept = "select 1 from runs where lease_holder is not null and due_at > '-infinity'"
  const left = 'select 1 from runs where lease_holder is null and due_at is null'
  await until(async () => {
    const { rowCount } = await stage.database.pool.query(`${kept} union all ${left}`)
    return answer !== undefined && rowCount === 1
  })
  answer?.()
  await started.until(({ paid }) => paid === '0.002')
})

test.each([
  // An unknown price is requested twice while the run is driven once.
  ['a price', 'read-agent', 2],
  ['an order', 'admit-jobs-of-runs', 1],
])('%s that fails for a reason in this process is soon repeated', async (_, statement, times) => {
  await background[1]?.stop()
  const { database } = stage.parts
  let left = times
  const faulty: typeof database = {
    ...database,
    async query(name, text, values) {
      if (name !== statement || left === 0) return await database.query(name, text, values)
      left -= 1
      throw new Error('the connection was lost')
    },
  }
  background = [...background, startRuns({ ...stage.parts, database: faulty }, { pollMs: 50 })]
  const started = await runs.start(await twoSteps(), {
    payments: [await signStep(stage.parts, shout, 'loud'), await signStep(stage.parts, count, 'words')],
  })
  await started.until(({ status }) => status === 'completed')
  expect(left).toBe(0)
})

test("a run is notified of the end of a job whose process lost the database's response to that write", async () => {
  for (const one of background.toReversed()) await one.stop()
  const { database } = stage.parts
  let isLost = false
  const losing: typeof database = {
    ...database,
    async query(name, text, values) {
      const rows = await database.query(name, text, values)
      if (name !== 'conclude-job' || isLost) return rows as never
      isLost = true
      throw new Error('the connection was lost')
    },
    // The outcome of that is not written either.
    inTransaction: steps =>
      isLost ? Promise.reject(new Error('no connection')) : database.inTransaction(steps),
  }
  background = [
    startJobs({ ...stage.parts, database: losing }, { pollMs: 50 }),
    startRuns(stage.parts, { pollMs: 50 }),
  ]
  const started = await runs.start(await twoSteps(), {
    payments: [await signStep(stage.parts, shout, 'loud')],
  })
  await started.until(({ paid }) => paid === '0.002')
  expect(isLost).toBe(true)
})

test('the lease of a kept run is not renewed beyond the time when the run is due', async () => {
  for (const one of background) await one.stop()
  background = []
  const { runId } = await runs.start(await twoSteps())
  const holder = '00000000-0000-4000-8000-000000000001'
  const pool = stage.database.pool
  const keep = 'update runs set lease_holder = $1, lease_until = $2, due_at = $3'
  const dueAt = async (kept: readonly KeptOn[], forgotten: readonly string[] = []): Promise<unknown> => {
    await renewRuns(stage.database, { holder, kept, forgotten, nowMs: 2_000 })
    const { rows } = await pool.query<{ due: number; lease: number }>(
      'select extract(epoch from due_at)::float8 as due, extract(epoch from lease_until)::float8 as lease from runs',
    )
    return rows[0]
  }
  await pool.query(keep, [holder, new Date(6_000), new Date(6_000)])
  expect(await dueAt([{ runId, dueAtMs: 30_000 }])).toEqual({ due: 8, lease: 8 })
  expect(await dueAt([{ runId, dueAtMs: 7_000 }])).toEqual({ due: 7, lease: 8 })
  await pool.query(keep, [holder, new Date(6_000), '-infinity'])
  expect(await dueAt([{ runId, dueAtMs: undefined }])).toEqual({ due: -Infinity, lease: 8 })
  await pool.query(keep, [holder, new Date(6_000), new Date(6_000)])
  expect(await dueAt([], [runId])).toEqual({ due: -Infinity, lease: 8 })
})

function never(): never {
  throw new Error('there are ten')
}

test("a run is private: without its token or its payer's session it is not found", async () => {
  const { runId } = await runs.start(await twoSteps())
  for (const [method, path, payload] of [
    ['GET', '', undefined],
    ['GET', '/events', undefined],
    ['POST', '/cancel', undefined],
    ['POST', '/retry', { key: 'loud' }],
    ['PUT', '/payments', { payments: [await signStep(stage.parts, shout, 'loud')] }],
    ['DELETE', '', undefined],
  ] as const) {
    const request = { method, url: `/v1/runs/${runId}${path}`, headers: { 'run-token': 'x'.repeat(43) } }
    const answer = await ask(payload === undefined ? request : { ...request, payload })
    expect(answer.statusCode, `${method} ${path}`).toBe(404)
  }
})

test('payments must be bound to their job, by one payer, for the price, and within the limit', async () => {
  const flow = await twoSteps()
  const started = await runs.start(flow, { max_total: '0.002' })
  const refusal = async (...given: Parameters<typeof signStep>): Promise<readonly unknown[]> => {
    const { status, body } = await started.pay(await signStep(...given))
    return [status, (body as { readonly error?: string }).error]
  }
  expect(await refusal(stage.parts, count, 'words')).toEqual([
    409,
    'words: with this payment the run could cost more than 0.002 USDC',
  ])
  expect((await refusal(stage.parts, count, 'loud'))[0]).toBe(402)
  expect((await refusal(stage.parts, shout, 'loud', { amount: '0.001' }))[0]).toBe(402)
  expect(await refusal(stage.parts, shout, 'nobody')).toEqual([
    400,
    'payments: nobody: is no job of this flow',
  ])
  expect((await refusal(stage.parts, shout, 'loud', { validSeconds: 15 }))[0]).toBe(409)
  const bound = await signStep(stage.parts, shout, 'loud')
  const other = { ...bound, job_id: (await signStep(stage.parts, shout, 'loud')).job_id }
  expect(await started.pay(other)).toMatchObject({ status: 402 })
  const byOther = await signStep(stage.parts, shout, 'loud', { payerKey: TEST_KEYS.stranger.privateKey })
  expect(await started.pay(bound, byOther)).toMatchObject({ status: 402 })
  expect(shouter.seen).toHaveLength(0)
  expect(await started.pay(bound)).toMatchObject({ status: 200 })
  await started.until(({ paid }) => paid === '0.002')
  // The agent has the money it was paid, and is another payer.
  const byAgent = await signStep(stage.parts, shout, 'loud', { payerKey: TEST_KEYS.agent.privateKey })
  expect(await started.pay(byAgent)).toMatchObject({ status: 409 })
})

test('a limit that is not an amount is refused, when a run is started and when the limit is raised', async () => {
  const flow = await twoSteps()
  const { runId, token } = await runs.start(flow)
  const payments = [await signStep(stage.parts, shout, 'loud')]
  for (const max_total of ['-1', 'much', '0.0000001', '']) {
    const input = { text: 'two words' }
    const answers = [
      await ask({ method: 'POST', url: '/v1/runs', payload: { flow, input, max_total } }),
      await ask({
        method: 'PUT',
        url: `/v1/runs/${runId}/payments`,
        headers: { 'run-token': token },
        payload: { payments, max_total },
      }),
    ]
    for (const answer of answers)
      expect([max_total, answer.statusCode, answer.json<{ error: string }>().error]).toEqual([
        max_total,
        400,
        expect.stringMatching(/^max_total: /),
      ])
  }
})

test('a run whose input or name cannot be stored is refused at its start, naming the field', async () => {
  const flow = await twoSteps()
  const refusal = async (given: object): Promise<readonly unknown[]> => {
    const payload = { flow, input: { text: 'two words' }, max_total: '1', ...given }
    const answer = await ask({ method: 'POST', url: '/v1/runs', payload })
    return [answer.statusCode, answer.json<{ error: string }>().error]
  }
  expect(await refusal({ input: { text: 'in\0\ud800' } })).toEqual([
    400,
    'input.text: has a character that cannot be kept (U+0000)',
  ])
  expect(await refusal({ flow: { ...flow, name: 'a\0b' } })).toEqual([
    400,
    'flow.name: has a character that cannot be kept (U+0000)',
  ])
})

test('a delivery with characters that cannot be stored is used without them, and stored with its job unchanged', async () => {
  shouter.behave = async call => call.complete(await call.settle(), { text: 'TWO\0 WORDS \ud800' })
  const payments = [await signStep(stage.parts, shout, 'loud'), await signStep(stage.parts, count, 'words')]
  const started = await runs.start(await twoSteps(), { payments })
  const run = await started.until(({ status }) => status !== 'running')
  expect([run.status, run.paid, run.steps[0]?.outputs]).toEqual([
    'completed',
    '0.012',
    { text: 'TWO\ufffd WORDS \ufffd' },
  ])
  expect(run.steps[1]?.jobs[0]?.input).toEqual({ text: 'TWO\ufffd WORDS \ufffd' })
  const url = `/v1/jobs/${payments[0]?.job_id}`
  const job = await ask({ method: 'GET', url, headers: { 'run-token': started.token } })
  expect(job.body).toContain(String.raw`TWO\u0000 WORDS \ud800`)
})

test('the limit is raised by payments that need it, and by no others', async () => {
  const started = await runs.start(await twoSteps(), { max_total: '0.012' })
  const put = async (payment: Awaited<ReturnType<typeof signStep>>, limit: string): Promise<unknown> => {
    const payload = { payments: [payment], max_total: limit }
    const headers = { 'run-token': started.token }
    return (await ask({ method: 'PUT', url: `/v1/runs/${started.runId}/payments`, headers, payload })).json()
  }
  const first = await signStep(stage.parts, shout, 'loud')
  expect(await put(first, '0.5')).toMatchObject({ max_total: '0.012' })
  const second = await signStep(stage.parts, count, 'words')
  expect(await put(second, '0.5')).toMatchObject({ max_total: '0.012' })
  await started.until(({ status }) => status === 'completed')
  // Paid and completed: another payment is refused, and the limit stays.
  expect(await put(await signStep(stage.parts, count, 'words'), '0.5')).toMatchObject({
    error: expect.stringMatching(/done/),
  })
  expect((await started.read()).max_total).toBe('0.012')
  const tight = await runs.start(await twoSteps(), {
    max_total: '0.002',
    payments: [await signStep(stage.parts, shout, 'loud')],
  })
  const headers = { 'run-token': tight.token }
  const payload = { payments: [await signStep(stage.parts, count, 'words')], max_total: '0.012' }
  const raised = await ask({ method: 'PUT', url: `/v1/runs/${tight.runId}/payments`, headers, payload })
  expect(raised.json()).toMatchObject({ max_total: '0.012' })
})

test("payments that exceed the payer's balance are refused before any agent works", async () => {
  const byPoor = await signStep(stage.parts, shout, 'loud', { payerKey: TEST_KEYS.stranger.privateKey })
  const payload = { flow: await twoSteps(), input: { text: 'two words' }, max_total: '1', payments: [byPoor] }
  const answer = await ask({ method: 'POST', url: '/v1/runs', payload })
  expect([answer.statusCode, answer.json<{ error: string }>().error]).toEqual([
    402,
    `payments: ${TEST_KEYS.stranger.address.toLowerCase()} has 0 USDC, these come to 0.002`,
  ])
})

test('the same request again is the same run; with another token, or another body, it is refused', async () => {
  const flow = await twoSteps()
  const payments = [await signStep(stage.parts, shout, 'loud')]
  const run_id = '6f0f0a52-6f0e-4b8a-9d51-0a2f4be391aa'
  const run_token = 'a'.repeat(43)
  const payload = { flow, input: { text: 'two words' }, max_total: '1', payments, run_id, run_token }
  const answers = await Promise.all([1, 2, 3].map(() => ask({ method: 'POST', url: '/v1/runs', payload })))
  expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200])
  const other = await ask({
    method: 'POST',
    url: '/v1/runs',
    payload: { ...payload, run_token: 'b'.repeat(43) },
  })
  expect(other.statusCode).toBe(409)
  const isAnother = [
    { input: { text: 'other words' } },
    { max_total: '2' },
    { flow: { ...flow, name: 'Another' } },
    { flow_id: '6f0f0a52-6f0e-4b8a-9d51-0a2f4be391ab' },
  ]
  for (const change of isAnother) {
    const { statusCode, body } = await ask({
      method: 'POST',
      url: '/v1/runs',
      payload: { ...payload, ...change },
    })
    expect(statusCode, JSON.stringify(change)).toBe(409)
    expect(body).toContain('run_id: is in use for another run')
  }
  const reordered = { ...payload, flow: Object.fromEntries(Object.entries(flow).toReversed()), payments: [] }
  expect((await ask({ method: 'POST', url: '/v1/runs', payload: reordered })).statusCode).toBe(200)
  const { rows } = await stage.database.pool.query('select count(*)::int as runs from runs')
  expect(rows).toEqual([{ runs: 1 }])
})

test('a flow with errors is not run, and the refusal names the error and its step', async () => {
  const flow = await twoSteps()
  const broken = { ...flow, wires: flow.wires.slice(1) }
  const answer = await ask({
    method: 'POST',
    url: '/v1/runs',
    payload: { flow: broken, input: { text: 'x' }, max_total: '1' },
  })
  expect([answer.statusCode, answer.json<{ error: string }>().error]).toMatchObject([
    400,
    expect.stringMatching(/^flow: loud: /),
  ])
})

test('a job that was charged without a usable delivery is reported, and only then is another payment requested', async () => {
  shouter.behave = async call => call.complete(await call.settle(), { text: 7 })
  const started = await runs.start(await twoSteps(), {
    payments: [await signStep(stage.parts, shout, 'loud')],
  })
  const run = await started.until(({ waiting }) => waiting[0]?.for === 'retry')
  expect(run).toMatchObject({ paid: '0.002', exposed: '0' })
  expect(run.steps[0]?.jobs[0]).toMatchObject({
    state: 'failed',
    error_type: 'output',
    payment: { state: 'paid' },
    job: { charged_without_delivery: true },
  })
  await started.tell('retry', { key: 'loud' })
  const again = await started.read()
  expect(again.waiting).toMatchObject([{ for: 'payment', key: 'loud', because: { kind: 'charged' } }])
})

test('prices are requested from all agents before anything is signed', async () => {
  const { steps } = await twoSteps()
  const flow = flowOf(
    { ...steps, sure: { kind: 'approval', question: 'Go on?' }, again: await jobStep(shout) },
    [
      'input.text > loud.text',
      'loud.text > words.text',
      'loud.text > sure.value',
      'sure.approved > again.text',
      'again.text > output.text',
    ],
  )
  const answer = await ask({ method: 'POST', url: '/v1/runs/quote', payload: { flow } })
  expect(answer.json()).toMatchObject({
    total: '0.014',
    jobs: [
      { key: 'loud', sign: 'now', quote: { amount: '0.002' }, error: null },
      { key: 'words', sign: 'now', quote: { amount: '0.01' } },
      { key: 'again', sign: 'later', quote: { amount: '0.002' } },
    ],
  })
})
