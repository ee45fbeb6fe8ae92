import { randomUUID } from 'node:crypto'
import { systemClock } from '@farebox/protocol/time/clock'
import type { FastifyInstance } from 'fastify'
import { startChain, type LocalChain } from '@farebox/local/chain/start-chain'
import { fund } from '@farebox/local/chain/faucet'
import { TEST_KEYS } from '@farebox/local/chain/test-keys'
import { createJsonRpc } from '@farebox/payments/chain/json-rpc-pool'
import type { JobAnswer, JobOrder } from '@farebox/platform-api/jobs'
import { webhookNotice } from '@farebox/platform-api/monitor'
import { hashJson, verifyReceipt } from '@farebox/platform-api/receipt'
import { until } from '@farebox/protocol/src/test-setup/until'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { createApp } from '../app/create-app.ts'
import type { Background } from '../work/loop.ts'
import { applyRecounts } from '../tallies/apply-recounts.ts'
import { readTally } from '../tallies/read-tally.ts'
import { answersAsDocumented } from '../test-setup/answers-as-documented.ts'
import {
  honestly,
  startChainAgent,
  type AgentReply,
  type ChainAgent,
} from '../test-setup/network/chain-agent.ts'
import { insertAgent } from '../test-setup/database/insert-agent.ts'
import { orderingOf, signOrder, type OrderTerms } from '../test-setup/runs/job-orders.ts'
import { signedInAs } from '../test-setup/sign-in.ts'
import { stagePlatform, type Stage } from '../test-setup/stage-platform.ts'
import { retryJob } from './order/retry-job.ts'
import { recordAnswer } from './drive/record-answer.ts'
import { startJobs } from './drive/start-jobs.ts'
import { jobsRoutes } from './jobs-routes.ts'
import { deleteUnpaidContents, UNPAID_KEPT_MS } from './records/delete-contents.ts'
import { releaseJob, takeJobsToCheckPayment, takeJobsToSend } from './records/job-leases.ts'
import type { JobRow } from './records/job-row.ts'
import { readJob } from './records/job-store.ts'

const PAYER = TEST_KEYS.payer.address.toLowerCase()
const WORKS = { input: { text: 'three short words' } }

let chain: LocalChain
let stage: Stage
let agent: ChainAgent
let app: FastifyInstance
let ask: ReturnType<typeof answersAsDocumented>
let jobs: Background
/** How far the platform's clock is ahead, in milliseconds. */
let aheadMs = 0

beforeAll(async () => {
  chain = await startChain()
  await fund(chain, PAYER, { usdcAtomic: 1_000_000_000n })
})
afterAll(async () => {
  await chain.stop()
})

beforeEach(async () => {
  aheadMs = 0
  const clock = { ...systemClock, nowMs: () => Date.now() + aheadMs }
  stage = await stagePlatform({ clock, rpc: createJsonRpc(chain.rpcUrl) })
  agent = await startChainAgent(chain)
  const wallet = TEST_KEYS.agent.address.toLowerCase()
  await insertAgent(stage.database, { endpoint: agent.url, wallet, declaration: agent.declaration })
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

const fail = (status: number, errorType: string): AgentReply => ({
  status,
  body: { status: 'failed', error_type: errorType, error: 'text: is too dull', service_version: '1.0' },
})

/** The agent fails the job this many times, and then does it. */
function failFirst(times: number, reply: AgentReply): void {
  agent.behave = call => (call.repeats < times ? Promise.resolve(reply) : honestly(call))
}

interface Ordered {
  readonly order: JobOrder
  readonly answer: JobAnswer
  readonly headers: { readonly 'job-token': string }
}

async function place(terms: Partial<OrderTerms> = {}): Promise<Ordered> {
  const order = await signOrder(stage.parts, { endpoint: agent.url, ...terms })
  const answer = (await ask({ method: 'POST', url: '/v1/jobs', payload: order })).json<JobAnswer>()
  return { order, answer, headers: { 'job-token': answer.job_token ?? '' } }
}

async function retry(
  { order, headers }: Pick<Ordered, 'order' | 'headers'>,
  changes: object = {},
  query = '',
): Promise<{ readonly http: number; readonly body: JobAnswer & { readonly error: string | null } }> {
  const payload = { payment: order.payment, ...changes }
  const url = `/v1/jobs/${order.job_id}/retry${query}`
  const answer = await ask({ method: 'POST', url, headers, payload })
  return { http: answer.statusCode, body: answer.json() }
}

async function rowOf({ order }: Pick<Ordered, 'order'>): Promise<JobRow> {
  const job = await readJob(stage.database, order.job_id)
  if (job === undefined) throw new Error('the job is gone')
  return job
}

async function tally(): Promise<object> {
  while ((await stage.database.inTransaction(client => applyRecounts(client, 1))) > 0);
  const { paid, failed, jobsDone } = await readTally(stage.database.pool, 1)
  return { paid, failed, jobsDone }
}

test('a failed job is retried with another input for the same payment, charged once, with a receipt', async () => {
  failFirst(1, fail(400, 'validation'))
  const ordered = await place()
  expect(ordered.answer).toMatchObject({ status: 'failed', error: 'text: is too dull', charged: false })
  expect(ordered.answer.retry).toMatchObject({ possible: true, reason: null })
  expect(ordered.answer.retry.until).toBeGreaterThan(Date.now() / 1_000 + 30)
  const { http, body } = await retry(ordered, WORKS)
  expect([http, body]).toMatchObject([
    200,
    { status: 'completed', charged: true, input: WORKS.input, error: null, error_type: null },
  ])
  expect(body.job_token).toBeUndefined()
  expect(agent.seen.map(({ jobId, header }) => ({ jobId, header }))).toEqual(
    Array.from({ length: 2 }, () => ({ jobId: ordered.order.job_id, header: ordered.order.payment })),
  )
  expect(JSON.parse(agent.seen[1]?.body ?? '')).toMatchObject({ task: { input: WORKS.input } })
  const keys: unknown = (await ask({ method: 'GET', url: '/.well-known/jwks.json' })).json()
  const input = await hashJson(WORKS.input)
  expect(await verifyReceipt(body.receipt ?? '', keys)).toMatchObject({ ok: true, receipt: { input } })
  expect(await tally()).toEqual({ paid: 1, failed: 0, jobsDone: 1 })
})

test('a retry with another payment is refused with the reason', async () => {
  failFirst(9, fail(500, 'internal'))
  const ordered = await place()
  const other = await signOrder(stage.parts, { endpoint: agent.url, jobId: ordered.order.job_id })
  expect(await retry(ordered, { payment: other.payment })).toMatchObject({
    http: 409,
    body: {
      error:
        'payment: is not the one that the job was ordered with: another payment could be charged as well',
    },
  })
  expect(await retry(ordered, { payment: 'bm8=' })).toMatchObject({ http: 402 })
  expect(agent.seen).toHaveLength(1)
})

test('a job in progress, delivered or charged is not retried', async () => {
  const done = await place()
  expect(await retry(done)).toMatchObject({
    http: 409,
    body: { error: 'jobId: cannot be tried again: it was delivered' },
  })
  const pending = { status: 'pending', error: 'being settled', service_version: '1.0' }
  agent.behave = ({ jobId }) => Promise.resolve({ status: 503, body: { ...pending, job_id: jobId } })
  const order = await signOrder(stage.parts, { endpoint: agent.url })
  await ask({ method: 'POST', url: '/v1/jobs?wait=false', payload: order })
  const headers = { 'job-token': '', ...(await signedInAs(stage.parts, PAYER)) }
  await until(async () => (await rowOf({ order })).answer === 'pending')
  expect(await retry({ order, headers })).toMatchObject({
    http: 409,
    body: { error: expect.stringContaining('its agent has not answered: it may still deliver, and charge') },
  })
  agent.behave = async call => {
    await call.settle()
    return fail(500, 'internal')
  }
  const charged = await place()
  const early = await retry(charged)
  expect([early.http, early.body.error]).toEqual([409, expect.not.stringContaining('sign')])
  await until(async () => (await rowOf(charged)).payment === 'paid')
  expect(await retry(charged)).toMatchObject({
    http: 409,
    body: { error: 'jobId: cannot be tried again: its payment was charged' },
  })
  expect(agent.seen.filter(({ jobId }) => jobId === charged.order.job_id)).toHaveLength(1)
})

test('of ten concurrent retries one succeeds', async () => {
  failFirst(1, fail(500, 'internal'))
  const ordered = await place()
  const answers = await Promise.all(Array.from({ length: 10 }, () => retry(ordered)))
  expect(answers.map(({ http }) => http).toSorted((one, other) => one - other)).toEqual([
    200,
    ...Array.from({ length: 9 }, () => 409),
  ])
  expect(agent.seen).toHaveLength(2)
  expect((await rowOf(ordered)).attempt).toBe(2)
})

test('of ten retries based on the same failure one opens the job again', async () => {
  failFirst(1, fail(500, 'internal'))
  const ordered = await place()
  await jobs.stop()
  const known = await rowOf(ordered)
  const ordering = orderingOf(stage.parts)
  if (ordering.kind !== 'caller') throw new Error('it is a caller who orders')
  const shown = {
    caller: { kind: 'anonymous', ip: '127.0.0.1' },
    token: ordered.headers['job-token'],
  } as const
  const again = (): Promise<JobRow> =>
    retryJob(stage.parts, ordering, known, { retry: { payment: ordered.order.payment }, shown })
  const ends = await Promise.allSettled(Array.from({ length: 10 }, again))
  const refusals = ends.flatMap(end => (end.status === 'rejected' ? [String(end.reason)] : []))
  expect(refusals).toHaveLength(9)
  expect(new Set(refusals)).toEqual(
    new Set(['Refusal: jobId: was tried again or charged just now: ask for the job']),
  )
  expect((await rowOf(ordered)).attempt).toBe(2)
})

test('only the payer can retry: others get 404, and a token of a repeated order cannot change the input', async () => {
  failFirst(1, fail(400, 'validation'))
  const ordered = await place()
  const { order } = ordered
  expect((await retry({ order, headers: { 'job-token': 'job_wrong' } }, WORKS)).http).toBe(404)
  const repeat = (await ask({ method: 'POST', url: '/v1/jobs', payload: order })).json<JobAnswer>()
  const readsOnly = { order, headers: { 'job-token': repeat.job_token ?? '' } }
  expect(await retry(readsOnly, WORKS)).toMatchObject({ http: 403 })
  expect(agent.seen).toHaveLength(1)
  expect(await retry(readsOnly, { input: order.input })).toMatchObject({
    http: 200,
    body: { status: 'completed' },
  })
})

test('after a refused payment the input cannot change, because the agent may have kept a response to it', async () => {
  const replies = [fail(402, 'payment'), fail(500, 'internal')]
  agent.behave = call => Promise.resolve(replies[call.repeats] ?? call.complete())
  const ordered = await place()
  const refused = {
    http: 409,
    body: { error: expect.stringContaining('input: must be the one of the order') },
  }
  expect(await retry(ordered, WORKS)).toMatchObject(refused)
  expect(await retry(ordered)).toMatchObject({
    http: 200,
    body: { status: 'failed', error_type: 'internal' },
  })
  expect(await retry(ordered, WORKS)).toMatchObject(refused)
})

test('a retry needs time to run and to settle, and more when the first attempt had too little', async () => {
  failFirst(9, fail(500, 'internal'))
  const short = await place({ validSeconds: 300 })
  expect(short.answer.retry).toMatchObject({ possible: true })
  // The agent needs 10 s, and settling 10 s.
  aheadMs = 281_000
  expect(await retryOf(short)).toMatchObject({ possible: false })
  expect(await retry(short)).toMatchObject({
    http: 409,
    body: { error: expect.stringContaining('its payment ends too soon for another run') },
  })
  const hurried = await place({ deadlineSeconds: 120 })
  await until(async () => (await rowOf(hurried)).fault === 'deadline')
  const deadline = stage.parts.clock.nowMs() / 1_000 + 120
  expect(await retry(hurried, { deadline })).toMatchObject({
    http: 400,
    body: { error: expect.stringContaining('deadline: must be at least 270 s ahead') },
  })
  expect(await retry(hurried)).toMatchObject({ http: 200, body: { status: 'failed' } })
})

async function retryOf({ order, headers }: Ordered): Promise<JobAnswer['retry']> {
  return (await ask({ method: 'GET', url: `/v1/jobs/${order.job_id}`, headers })).json<JobAnswer>().retry
}

test('D43 a job that failed repeatedly counts once against its agent, and not at all once it is delivered', async () => {
  failFirst(3, fail(500, 'internal'))
  const ordered = await place()
  await until(async () => (await rowOf(ordered)).fault === 'agent')
  for (let attempt = 2; attempt <= 3; attempt++) {
    expect(await tally()).toEqual({ paid: 0, failed: 1, jobsDone: 0 })
    // Such a short deadline would be the payer's own fault, and must not hide the agent's.
    const deadline = Date.now() / 1_000 + 120
    expect(await retry(ordered, { deadline })).toMatchObject({ body: { status: 'failed' } })
    await until(async () => (await rowOf(ordered)).fault !== undefined)
    expect((await rowOf(ordered)).fault).toBe('agent')
  }
  expect(await retry(ordered)).toMatchObject({ body: { status: 'completed' } })
  expect(await tally()).toEqual({ paid: 1, failed: 0, jobsDone: 1 })
})

test('D11 an agent whose secret is refused gets no orders, and its owner one notice, until a retry succeeds', async () => {
  const { pool } = stage.database
  const owner = (await pool.query<{ owner: string }>('select owner from agents')).rows[0]?.owner
  await pool.query(
    `insert into agent_webhooks (agent_id, owner, url, secret, created_at) values (1, $1, 'https://hook.example', 's', now())`,
    [owner],
  )
  failFirst(1, {
    status: 401,
    body: { status: 'failed', error_type: 'payment', error: 'no', service_version: '1.0' },
  })
  const ordered = await place()
  expect(ordered.answer).toMatchObject({ status: 'failed', error_type: 'payment', charged: false })
  const told = async (): Promise<readonly unknown[]> =>
    (await pool.query<{ body: string }>('select body from webhook_deliveries')).rows.map(({ body }) =>
      JSON.parse(body),
    )
  await until(async () => (await told()).length > 0)
  const [notice] = await told()
  expect(webhookNotice.parse(notice)).toMatchObject({
    event: 'agent.not_payable',
    consecutive_failures: 0,
    is_offline: false,
    reason: 'it answered a paid order with 401: is its FACILITATOR_SECRET right?',
  })
  const another = await signOrder(stage.parts, { endpoint: agent.url })
  const refused = await ask({ method: 'POST', url: '/v1/jobs', payload: another })
  expect([refused.statusCode, refused.json()]).toMatchObject([
    409,
    { error: expect.stringMatching(/^agent_id: the agent could not take its last payment: it answered/) },
  ])
  expect((await retry(ordered)).body).toMatchObject({ status: 'completed', charged: true })
  agent.behave = honestly
  expect((await ask({ method: 'POST', url: '/v1/jobs', payload: another })).json()).toMatchObject({
    status: 'completed',
  })
  expect(await told()).toHaveLength(1)
  const { rows } = await pool.query('select failures from agent_health')
  expect(rows.every(row => (row as { failures: number }).failures === 0)).toBe(true)
})

test('a job is tried at most five times', async () => {
  failFirst(9, fail(500, 'internal'))
  const ordered = await place()
  for (let attempt = 2; attempt <= 5; attempt++) expect((await retry(ordered)).http).toBe(200)
  expect(await retry(ordered)).toMatchObject({
    http: 409,
    body: { error: expect.stringContaining('it was tried 5 times') },
  })
  expect(agent.seen).toHaveLength(5)
})

test('a retry must contain the input when the contents were deleted meanwhile', async () => {
  failFirst(1, fail(500, 'internal'))
  const ordered = await place({ validSeconds: 3_600 })
  await until(async () => (await rowOf(ordered)).fault === 'agent')
  await expect.poll(() => deleteUnpaidContents(stage.database, Date.now() + UNPAID_KEPT_MS + 1_000)).toBe(1)
  expect(await retry(ordered)).toMatchObject({
    http: 409,
    body: { error: 'input: is not kept here any more: send it again' },
  })
  const { body } = await retry(ordered, { input: ordered.order.input })
  expect(body).toMatchObject({ status: 'completed', contents_deleted: false, input: ordered.order.input })
})

test('late results of a worker of an earlier attempt neither change the retry nor release it', async () => {
  failFirst(9, fail(500, 'internal'))
  const ordered = await place()
  await jobs.stop()
  // A worker checks the payment of the failed attempt, and stalls.
  const holder = randomUUID()
  const nowMs = Date.now() + 120_000
  const [stalled] = await takeJobsToCheckPayment(stage.database, { holder, limit: 9, nowMs })
  if (stalled === undefined) throw new Error('nothing was due')
  expect((await retry(ordered, {}, '?wait=false')).http).toBe(202)
  const received = {
    outcome: { kind: 'unavailable', reason: 'unreachable' },
    answer: undefined,
    retryAfterMs: undefined,
    hasLeft: true,
  } as const
  await recordAnswer(stage.parts, stalled, { received, beganMs: Date.now(), delivery: {} })
  // The job is due without waiting for the old lease, and the same process leases it.
  const taking = { holder, limit: 9, perKey: 9, underWay: new Map(), nowMs: Date.now() }
  const taken = await takeJobsToSend(stage.database, taking)
  expect(taken.map(one => one.jobId)).toEqual([ordered.order.job_id])
  await releaseJob(stage.database, stalled, { holder, nextDueAtMs: undefined })
  const { jobId, sealedPayment = '', sendings } = await rowOf(ordered)
  expect([stage.parts.seal.open(jobId, sealedPayment), sendings]).toEqual([ordered.order.payment, 0])
  expect(await takeJobsToSend(stage.database, taking)).toEqual([])
})

test('a retry whose process is killed after storing it is sent by another process, once, and charged once', async () => {
  failFirst(1, fail(500, 'internal'))
  const ordered = await place()
  await jobs.stop()
  expect((await retry(ordered, {}, '?wait=false')).http).toBe(202)
  jobs = startJobs(await stage.anotherWorker(), { pollMs: 20 })
  await until(async () => (await rowOf(ordered)).state === 'completed')
  expect(agent.seen).toHaveLength(2)
  expect(await tally()).toEqual({ paid: 1, failed: 0, jobsDone: 1 })
})
