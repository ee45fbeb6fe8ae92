import { readTraceparent } from '@farebox/protocol/src/trace/traceparent'
import { randomUUID } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import type { JsonRpc } from '@farebox/payments/chain/json-rpc'
import { word } from '@farebox/payments/src/chain/rpc-words'
import { until } from '@farebox/protocol/src/test-setup/until'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createApp } from '../../app/create-app.ts'
import { insertAgent, sampleDeclaration } from '../../test-setup/database/insert-agent.ts'
import { signOrder, type OrderTerms } from '../../test-setup/runs/job-orders.ts'
import { payersWith } from '../../test-setup/runs/pretend-payers.ts'
import { makeWallet } from '../../test-setup/sign-in.ts'
import { stagePlatform, type Stage } from '../../test-setup/stage-platform.ts'
import { jobsRoutes } from '../jobs-routes.ts'
import { createProvePayment } from '../quote/prove-payment.ts'
import { readJob } from '../records/job-store.ts'
import { createOrderAdmission } from './admit-order.ts'
import { orderJob } from './order-job.ts'

const OWNER = `0x${'0d'.repeat(20)}`
const ENDPOINT = 'https://agent-1.example'
const PRICE = 10_000n
const TEN_SECONDS = 10
const LARGE = 'x'.repeat(1_000_000)

let stage: Stage
let app: FastifyInstance
let node: JsonRpc

beforeEach(async () => {
  node = payersWith(50n * PRICE)
  const rpc: JsonRpc = { call: (...call) => node.call(...call), close: () => Promise.resolve() }
  stage = await stagePlatform({ rpc })
  const { count } = sampleDeclaration(OWNER).capabilities
  if (count === undefined) throw new Error('the sample has no capability')
  const input = { text: { type: 'string', required: true } } as const
  const declaration = sampleDeclaration(OWNER, {
    max_deadline_seconds: TEN_SECONDS,
    capabilities: { count: { ...count, input_schema: input } },
  })
  await insertAgent(stage.database, { agentId: 1, owner: OWNER, endpoint: ENDPOINT, declaration })
  app = createApp(stage.parts, jobsRoutes(stage.parts))
  await app.ready()
})
afterEach(async () => {
  await app.close()
  await stage.close()
})

const freshKey = (): string => `0x${makeWallet(stage.parts.crypto).address.slice(2).padStart(64, '1')}`

async function order(
  terms: Partial<OrderTerms> = {},
  from = '192.0.2.1',
): Promise<readonly [number, string]> {
  const signed = await signOrder(stage.parts, {
    endpoint: ENDPOINT,
    payTo: OWNER,
    payerKey: freshKey(),
    deadlineSeconds: TEN_SECONDS,
    ...terms,
  })
  const answer = await app.inject({
    method: 'POST',
    url: '/v1/jobs?wait=false',
    payload: signed,
    remoteAddress: from,
  })
  return [answer.statusCode, answer.json<{ error?: string | null }>().error ?? '']
}

async function stored(): Promise<number> {
  const { rows } = await stage.database.pool.query<{ jobs: number }>('select count(*)::int as jobs from jobs')
  return rows[0]?.jobs ?? 0
}

test('an order whose payer has too little money is answered 402 with both amounts, and not stored', async () => {
  node = payersWith(PRICE - 1n)
  const [status, error] = await order()
  expect([status, error]).toEqual([402, expect.stringMatching(/has 0\.009999 USDC, the job costs 0\.01$/)])
  expect(await stored()).toBe(0)
})

test('an order with a used payment returns the job it was used for; without one no job is created', async () => {
  const paying = payersWith(50n * PRICE)
  let looks = 0
  node = {
    ...paying,
    async call(...call) {
      const [, [request]] = call
      const isBalance = (request as { readonly data: string }).data.startsWith('0x70a08231')
      if (isBalance || (looks += 1) === 1) return await paying.call(...call)
      // The first of the two orders was stored, sent and charged.
      await until(async () => (await stored()) === 1)
      return `0x${word('0x1')}`
    },
  }
  const jobId = randomUUID()
  const twice = { payerKey: freshKey(), jobId }
  const signed = await signOrder(stage.parts, {
    endpoint: ENDPOINT,
    payTo: OWNER,
    deadlineSeconds: TEN_SECONDS,
    ...twice,
  })
  const send = () => app.inject({ method: 'POST', url: '/v1/jobs?wait=false', payload: signed })
  const answers = await Promise.all([send(), send()])
  expect(answers.map(answer => [answer.statusCode, answer.json<{ job_id: string }>().job_id])).toEqual([
    [202, jobId],
    [202, jobId],
  ])
  expect(await order()).toEqual([
    402,
    expect.stringMatching(/^payment: was used or cancelled: ask for the job/),
  ])
  expect(await stored()).toBe(1)
})

test('the money reserved for jobs without an outcome is not available to another job of the payer', async () => {
  node = payersWith(2n * PRICE)
  const payerKey = freshKey()
  const answers = await Promise.all(Array.from({ length: 6 }, () => order({ payerKey })))
  expect(answers.map(([status]) => status).toSorted((one, other) => one - other)).toEqual([
    202, 202, 402, 402, 402, 402,
  ])
  expect(answers.find(([status]) => status === 402)?.[1]).toMatch(
    /of which 0\.02 are for jobs without an outcome/,
  )
})

test("when the payer's balance cannot be read from the chain, the order is answered 503 and can be repeated", async () => {
  node = { call: () => Promise.reject(new Error('down')), close: () => Promise.resolve() }
  expect(await order()).toEqual([503, expect.stringContaining('the chain does not say')])
  expect(await stored()).toBe(0)
})

test('one address may order for sixty payers without money per minute, without effect on other addresses', async () => {
  node = payersWith(0n)
  const statuses: number[] = []
  for (let sent = 0; sent < 64; sent++) statuses.push((await order())[0])
  expect(statuses.slice(0, 60).every(status => status === 402)).toBe(true)
  expect(statuses.slice(60)).toEqual([429, 429, 429, 429])
  expect((await order({}, '192.0.2.2'))[0]).toBe(402)
  stage.clock.pass(1_500)
  expect((await order())[0]).toBe(402)
})

test('unpaid bodies are limited per payer and per address, in any notation of the address', async () => {
  const payerKey = freshKey()
  const ofPayer: number[] = []
  for (let sent = 0; sent < 5; sent++) ofPayer.push((await order({ payerKey, input: { text: LARGE } }))[0])
  expect(ofPayer).toEqual([202, 202, 202, 202, 429])
  const others: (readonly [number, string])[] = []
  for (let sent = 0; sent < 5; sent++)
    others.push(await order({ input: { text: LARGE } }, '::ffff:192.0.2.1'))
  expect(others.map(([status]) => status)).toEqual([202, 202, 202, 202, 429])
  expect(others[4]?.[1]).toMatch(/from this address/)
  expect((await order({ input: { text: LARGE } }, '192.0.2.2'))[0]).toBe(202)
})

test('paid or deleted bodies no longer count', async () => {
  const payerKey = freshKey()
  for (let sent = 0; sent < 4; sent++) await order({ payerKey, input: { text: LARGE } })
  expect((await order({ payerKey, input: { text: LARGE } }))[0]).toBe(429)
  await stage.database.pool.query('update jobs set ordered_from = null')
  expect((await order({ payerKey, input: { text: LARGE } }))[0]).toBe(202)
})

test('D17 an order that leaves the agent less than half of its time is refused, naming the minimum', async () => {
  expect(await order({ deadlineSeconds: 4.9 })).toEqual([
    400,
    'deadline: must be at least 5 s ahead: the agent may take 10 s, this leaves 4.9 s',
  ])
  expect(await order({ validSeconds: 14 })).toEqual([
    400,
    'payment: validBefore must be at least 15 s ahead: the agent may take 10 s, this leaves 4.0 s',
  ])
  expect((await order({ deadlineSeconds: 5.1 }))[0]).toBe(202)
  expect(await stored()).toBe(1)
})

test('a payer whose own deadlines expired five times at an agent is refused there for ten minutes', async () => {
  const payerKey = freshKey()
  for (let sent = 0; sent < 5; sent++) await order({ payerKey })
  await stage.database.pool.query(`update jobs set state = 'failed', answer = 'failed', fault = 'deadline'`)
  expect(await order({ payerKey })).toEqual([429, expect.stringMatching(/^deadline: 5 jobs of this payer/)])
  const another = createApp(await stage.anotherWorker(), jobsRoutes(await stage.anotherWorker()))
  const signed = await signOrder(stage.parts, { endpoint: ENDPOINT, payTo: OWNER, payerKey })
  const answer = await another.inject({ method: 'POST', url: '/v1/jobs?wait=false', payload: signed })
  expect([answer.statusCode, answer.headers['retry-after']]).toEqual([429, '600'])
  await another.close()
  expect((await order())[0], 'another payer').toBe(202)
  stage.clock.pass(600_000)
  expect((await order({ payerKey }))[0]).toBe(202)
})

test('of two batched orders with one job_id one becomes a job, and the other is refused', async () => {
  const { database } = stage.parts
  const slow: typeof database = {
    ...database,
    async query(name, text, values) {
      if (name === 'admit-jobs') await new Promise(resolve => setTimeout(resolve, 200))
      return await database.query(name, text, values)
    },
  }
  const parts = { ...stage.parts, database: slow }
  const begun: unknown[] = []
  parts.due.sending.reserve = () => ({ begin: job => begun.push(job), release: () => undefined })
  const ordering = {
    kind: 'caller',
    provePayment: createProvePayment(parts),
    admit: createOrderAdmission(parts),
    from: '192.0.2.1',
    trace: readTraceparent(undefined),
  } as const
  const payerKey = freshKey()
  const jobId = randomUUID()
  const terms = { endpoint: ENDPOINT, payTo: OWNER, payerKey, deadlineSeconds: TEN_SECONDS }
  const orders = [
    await signOrder(parts, terms),
    await signOrder(parts, { ...terms, jobId, input: { text: 'one' } }),
    await signOrder(parts, { ...terms, jobId, input: { text: 'another' } }),
  ]
  const answers = await Promise.allSettled(orders.map(one => orderJob(parts, ordering, one)))
  // The order of the two is not determined.
  expect(answers.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'fulfilled', 'rejected'])
  expect(answers.find(({ status }) => status === 'rejected')).toMatchObject({
    reason: { message: 'job_id: is in use for another order' },
  })
  expect([begun.length, await stored()]).toEqual([2, 2])
})

test('a job that was just stored equals the job read from the database', async () => {
  const signed = await signOrder(stage.parts, {
    endpoint: ENDPOINT,
    payTo: OWNER,
    payerKey: freshKey(),
    deadlineSeconds: TEN_SECONDS,
  })
  const ordering = {
    kind: 'caller',
    provePayment: createProvePayment(stage.parts),
    admit: createOrderAdmission(stage.parts),
    from: '192.0.2.1',
    trace: readTraceparent(undefined),
  } as const
  const { job } = await orderJob(stage.parts, ordering, signed)
  expect(await readJob(stage.database, job.jobId)).toEqual({
    ...job,
    agentName: expect.any(String) as string,
  })
})
