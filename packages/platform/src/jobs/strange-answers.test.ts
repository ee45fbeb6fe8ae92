import type { FastifyInstance } from 'fastify'
import { startChain, type LocalChain } from '@farebox/local/chain/start-chain'
import { fund } from '@farebox/local/chain/faucet'
import { TEST_KEYS } from '@farebox/local/chain/test-keys'
import { createJsonRpc } from '@farebox/payments/chain/json-rpc-pool'
import type { JobAnswer, JobOrder } from '@farebox/platform-api/jobs'
import { until } from '@farebox/protocol/src/test-setup/until'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { createApp } from '../app/create-app.ts'
import type { Background } from '../work/loop.ts'
import {
  startChainAgent,
  type AgentReply,
  type ChainAgent,
  type PaidCall,
} from '../test-setup/network/chain-agent.ts'
import { insertAgent } from '../test-setup/database/insert-agent.ts'
import { signOrder } from '../test-setup/runs/job-orders.ts'
import { stagePlatform, type Stage } from '../test-setup/stage-platform.ts'
import { deleteUnpaidContents, UNPAID_KEPT_MS } from './records/delete-contents.ts'
import type { JobRow } from './records/job-row.ts'
import { readJob, readRequest } from './records/job-store.ts'
import { jobsRoutes } from './jobs-routes.ts'
import { startJobs } from './drive/start-jobs.ts'

const AGENT = TEST_KEYS.agent.address.toLowerCase()
const MINUTE_MS = 60_000

let chain: LocalChain
let stage: Stage
let agent: ChainAgent
let app: FastifyInstance
let jobs: Background

beforeAll(async () => {
  chain = await startChain()
  await fund(chain, TEST_KEYS.payer.address, { usdcAtomic: 1_000_000_000n })
})
afterAll(async () => {
  await chain.stop()
})

beforeEach(async () => {
  stage = await stagePlatform({ realTime: true, rpc: createJsonRpc(chain.rpcUrl) })
  agent = await startChainAgent(chain)
  app = createApp(stage.parts, jobsRoutes(stage.parts))
  await app.ready()
  jobs = startJobs(stage.parts, { pollMs: 20 })
})
afterEach(async () => {
  await jobs.stop()
  await app.close()
  await agent.close()
  await stage.close()
})

async function list(deadlineSeconds = 300): Promise<void> {
  const declaration = { ...agent.declaration, max_deadline_seconds: deadlineSeconds }
  await insertAgent(stage.database, { endpoint: agent.url, wallet: AGENT, declaration })
}

async function order(wait = true): Promise<JobAnswer> {
  const payload: JobOrder = await signOrder(stage.parts, { endpoint: agent.url })
  const url = `/v1/jobs${wait ? '' : '?wait=false'}`
  return (await app.inject({ method: 'POST', url, payload })).json<JobAnswer>()
}

async function jobUntil(jobId: string, holds: (job: JobRow) => boolean): Promise<JobRow> {
  return await until(async () => {
    const job = await readJob(stage.database, jobId)
    return job !== undefined && holds(job) ? job : undefined
  })
}

function refusal(more: object = {}): AgentReply {
  const body = { status: 'failed', error_type: 'internal', error: 'Internal error', service_version: '1.0' }
  return { status: 500, body: { ...body, ...more } }
}

test('of a refusal only the status, type and message are stored, not its large body', async () => {
  await list()
  agent.behave = () => Promise.resolve(refusal({ more: 'x'.repeat(2_000_000) }))
  const answer = await order()
  expect(answer).toMatchObject({ status: 'failed', error_type: 'internal', error: 'Internal error' })
  const { rows } = await stage.database.pool.query<object>(
    'select response_status, response_headers, response_body from jobs',
  )
  expect(rows).toEqual([
    { response_status: 500, response_headers: { 'content-type': 'application/json' }, response_body: null },
  ])
})

test('the contents of a refused job are deleted within the hour, and its payment is still watched', async () => {
  await list()
  const done = await order()
  const calls: PaidCall[] = []
  agent.behave = call => {
    calls.push(call)
    return Promise.resolve(refusal())
  }
  const { job_id: jobId } = await order()
  await jobUntil(jobId, ({ sendings, nextDueAtMs }) => sendings === 1 && (nextDueAtMs ?? 0) > Date.now())
  expect(await deleteUnpaidContents(stage.database, Date.now() + UNPAID_KEPT_MS - MINUTE_MS)).toBe(0)
  await expect
    .poll(() => deleteUnpaidContents(stage.database, Date.now() + UNPAID_KEPT_MS + MINUTE_MS))
    .toBe(1)
  expect(await readRequest(stage.database, jobId)).toBeUndefined()
  expect(await readJob(stage.database, jobId)).toMatchObject({
    state: 'failed',
    error: 'Internal error',
    payment: 'open',
    sealedPayment: undefined,
    nextDueAtMs: expect.any(Number),
  })
  expect(await readRequest(stage.database, done.job_id), 'of a job that was paid').toContain('two words')
  await calls[0]?.settle()
  expect(await jobUntil(jobId, job => job.chargedWithoutDelivery)).toMatchObject({ payment: 'paid' })
  await jobUntil(jobId, ({ nextDueAtMs }) => nextDueAtMs === undefined)
  expect(calls, 'without its contents it is sent no more').toHaveLength(1)
})

test('the contents are kept while an answer is expected, and when a refused job was paid', async () => {
  await list()
  agent.behave = () => Promise.resolve('reset')
  const { job_id: open } = await order(false)
  const refused: PaidCall[] = []
  agent.behave = call => {
    if (call.jobId === open) return Promise.resolve('reset')
    refused.push(call)
    return Promise.resolve(refusal())
  }
  const { job_id: paid } = await order()
  await jobUntil(paid, ({ nextDueAtMs }) => (nextDueAtMs ?? 0) > Date.now())
  await refused[0]?.settle()
  await jobUntil(paid, ({ nextDueAtMs }) => nextDueAtMs === undefined)
  await jobUntil(open, ({ sendings }) => sendings > 1)
  expect(await deleteUnpaidContents(stage.database, Date.now() + 2 * UNPAID_KEPT_MS)).toBe(0)
  for (const jobId of [open, paid]) expect(await readRequest(stage.database, jobId)).toContain('two words')
})

test('an output whose payment can never come is shown for half an hour, and then deleted', async () => {
  await list()
  agent.behave = call => Promise.resolve(call.complete())
  const { job_id: jobId } = await order(false)
  await jobUntil(jobId, ({ answer }) => answer === 'completed')
  await stage.database.pool.query(
    "update jobs set payment = 'dead', next_look_at = now(), lease_until = null",
  )
  const over = await jobUntil(jobId, ({ nextDueAtMs }) => nextDueAtMs === undefined)
  expect(over.responseBody).toContain('"words":2')
  await expect
    .poll(() => deleteUnpaidContents(stage.database, Date.now() + UNPAID_KEPT_MS + MINUTE_MS))
    .toBe(1)
  expect((await readJob(stage.database, jobId))?.responseBody).toBeUndefined()
})

const ENDLESS = (jobId: string): string =>
  `{"service_version":"1.0","job_id":"${jobId}","status":"completed","output":{"words":1e400}}`

test('an answer with a number that cannot be serialized is invalid, and its charge is found', async () => {
  await list()
  agent.behave = async call => {
    await call.settle()
    return { status: 200, body: ENDLESS(call.jobId) }
  }
  const { job_id: jobId } = await order(false)
  const job = await jobUntil(jobId, ({ foreignAnswers }) => foreignAnswers >= 3)
  expect(job).toMatchObject({ answer: 'none', payment: 'paid', state: 'completed', outputHash: undefined })
})

test('an answer that cannot be stored is counted as invalid and requested again, and its charge is found', async () => {
  await list()
  await stage.database.pool.query("alter table jobs add check (answer <> 'completed')")
  const { job_id: jobId } = await order(false)
  const job = await jobUntil(
    jobId,
    ({ foreignAnswers, payment }) => foreignAnswers >= 3 && payment === 'paid',
  )
  expect(job).toMatchObject({ state: 'completed', answer: 'none', sendings: job.foreignAnswers })
})

test('an order with a number that cannot be serialized is refused', async () => {
  await list()
  const signed = await signOrder(stage.parts, { endpoint: agent.url })
  const payload = JSON.stringify(signed).replace('"two words"', '[{"deep":-1e400}]')
  const headers = { 'content-type': 'application/json' }
  const answer = await app.inject({ method: 'POST', url: '/v1/jobs', payload, headers })
  expect(answer.statusCode).toBe(400)
  expect(answer.json()).toMatchObject({
    error_type: 'validation',
    error: 'body: has a number that is too large, like 1e400',
  })
})

test('D35 an expired job that is refused later stays expired, until a transfer is proven', async () => {
  await list(1)
  let answerLate: (() => void) | undefined
  const calls: PaidCall[] = []
  agent.behave = async call => {
    calls.push(call)
    if (call.repeats > 0) return refusal()
    await new Promise<void>(resolve => {
      answerLate = resolve
    })
    return refusal()
  }
  const { job_id: jobId, status } = await order()
  expect(status).toBe('expired')
  answerLate?.()
  expect(await jobUntil(jobId, ({ answer }) => answer === 'failed')).toMatchObject({
    state: 'expired',
    finishedAtMs: undefined,
    error: 'Internal error',
  })
  await calls[0]?.settle()
  expect(await jobUntil(jobId, job => job.chargedWithoutDelivery)).toMatchObject({
    state: 'completed',
    answer: 'failed',
    payment: 'paid',
  })
})
