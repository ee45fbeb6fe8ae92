import { randomUUID } from 'node:crypto'
import { systemClock, type Clock } from '@farebox/protocol/time/clock'
import type { FastifyInstance } from 'fastify'
import { startChain, type LocalChain } from '@farebox/local/chain/start-chain'
import { fund } from '@farebox/local/chain/faucet'
import { TEST_KEYS } from '@farebox/local/chain/test-keys'
import { createJsonRpc } from '@farebox/payments/chain/json-rpc-pool'
import type { JobAnswer, JobOrder } from '@farebox/platform-api/jobs'
import { hashJson, verifyReceipt } from '@farebox/platform-api/receipt'
import { until } from '@farebox/protocol/src/test-setup/until'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { createApp } from '../app/create-app.ts'
import type { PlatformParts } from '../platform-parts.ts'
import type { Background } from '../work/loop.ts'
import { answersAsDocumented } from '../test-setup/answers-as-documented.ts'
import { startChainAgent, type ChainAgent, type PaidCall } from '../test-setup/network/chain-agent.ts'
import { insertAgent } from '../test-setup/database/insert-agent.ts'
import { signOrder, type OrderTerms } from '../test-setup/runs/job-orders.ts'
import { signedInAs } from '../test-setup/sign-in.ts'
import { stagePlatform, type Stage } from '../test-setup/stage-platform.ts'
import { jobsRoutes } from './jobs-routes.ts'
import { readJob } from './records/job-store.ts'
import type { JobRow } from './records/job-row.ts'
import { startJobs } from './drive/start-jobs.ts'

const PAYER = TEST_KEYS.payer.address.toLowerCase()
const AGENT = TEST_KEYS.agent.address.toLowerCase()

let chain: LocalChain
let stage: Stage
let agent: ChainAgent
let app: FastifyInstance
let ask: ReturnType<typeof answersAsDocumented>
let jobs: Background | undefined

beforeAll(async () => {
  chain = await startChain()
  await fund(chain, PAYER, { usdcAtomic: 1_000_000_000n })
  await fund(chain, TEST_KEYS.secondPayer.address, { usdcAtomic: 1_000_000_000n })
})
afterAll(async () => {
  await chain.stop()
})

beforeEach(async () => {
  const rpc = createJsonRpc(chain.rpcUrl)
  stage = await stagePlatform({ realTime: true, rpc })
  agent = await startChainAgent(chain)
  await insertAgent(stage.database, { endpoint: agent.url, wallet: AGENT, declaration: agent.declaration })
  await open(stage.parts)
})
async function open(parts: PlatformParts): Promise<void> {
  const routes = jobsRoutes(parts)
  app = createApp(parts, routes)
  await app.ready()
  ask = answersAsDocumented(app, routes)
  jobs = startJobs(parts, { pollMs: 20 })
}
afterEach(async () => {
  await jobs?.stop()
  await app.close()
  await agent.close()
  await stage.close()
})

async function sign(terms: Partial<OrderTerms> = {}): Promise<JobOrder> {
  return await signOrder({ ...stage.parts, clock: systemClock }, { endpoint: agent.url, ...terms })
}

async function order(
  payload: JobOrder,
  wait = true,
): Promise<{ readonly status: number; readonly body: JobAnswer }> {
  const answer = await ask({ method: 'POST', url: `/v1/jobs${wait ? '' : '?wait=false'}`, payload })
  return { status: answer.statusCode, body: answer.json<JobAnswer>() }
}

/** The header that opens a job just ordered. */
function shown({ job_token: token = '' }: JobAnswer): { readonly 'job-token': string } {
  return { 'job-token': token }
}

async function rowOf(jobId: string): Promise<JobRow> {
  const job = await readJob(stage.database, jobId)
  if (job === undefined) throw new Error(`job ${jobId} is not there`)
  return job
}

async function jobUntil(jobId: string, holds: (job: JobRow) => boolean): Promise<JobRow> {
  await until(async () => holds(await rowOf(jobId)))
  return await rowOf(jobId)
}

const failed = (status: number, errorType: string, error: string) => ({
  status,
  body: { status: 'failed', error_type: errorType, error, service_version: '1.0' },
})

test('a job is quoted, paid, delivered and answered with its output and a receipt that is verified offline', async () => {
  const quoted = await ask({
    method: 'POST',
    url: '/v1/quotes',
    payload: { agent_id: 1, capability: 'count' },
  })
  expect(quoted.json()).toMatchObject({
    amount: '0.01',
    amount_atomic: '10000',
    pay_to: AGENT,
    price_changed: null,
    max_deadline_seconds: 300,
    network: 'eip155:84532',
    endpoint: `${agent.url}/execute`,
    asset_domain: {
      name: 'USDC',
      version: '2',
    },
  })
  const ordered = await sign()
  const { status, body } = await order(ordered)
  expect({ status, body }).toMatchObject({
    status: 200,
    body: {
      status: 'completed',
      charged: true,
      output: { words: 2 },
      payment: { status: 'paid' },
      payer: PAYER,
    },
  })
  expect(agent.seen).toHaveLength(1)
  const keys: unknown = (await ask({ method: 'GET', url: '/.well-known/jwks.json' })).json()
  const verdict = await verifyReceipt(body.receipt ?? '', JSON.parse(JSON.stringify(keys)))
  expect(verdict).toMatchObject({
    ok: true,
    receipt: {
      agent_id: 1,
      capability: 'count',
      amount: '0.01',
      payer: PAYER,
      pay_to: AGENT,
      endpoint: agent.url,
      transaction: body.payment.transaction,
      input: await hashJson(ordered.input),
      output: await hashJson({ words: 2 }),
    },
  })
  const url = `/v1/jobs/${ordered.job_id}/receipt`
  expect((await ask({ method: 'GET', url, headers: shown(body) })).json()).toEqual({ receipt: body.receipt })
})

test('a job shows its agent’s name, its input, its duration, and the block that contains the transfer', async () => {
  const beganMs = Date.now()
  const ordered = await sign()
  const { body } = await order(ordered)
  const orderedMs = Date.now() - beganMs
  const { rows } = await stage.database.pool.query<{ name: string }>('select name from agents')
  const url = `/v1/jobs/${ordered.job_id}`
  const read = (await ask({ method: 'GET', url, headers: shown(body) })).json<JobAnswer>()
  for (const answer of [body, read])
    expect(answer).toMatchObject({ agent_name: rows[0]?.name, input: ordered.input, output: { words: 2 } })
  expect(read.elapsed_ms).toBeGreaterThan(0)
  expect(read.elapsed_ms).toBeLessThanOrEqual(orderedMs)
  const receipt = await stage.parts.rpc.call('eth_getTransactionReceipt', [read.payment.transaction])
  expect(receipt).toMatchObject({ blockNumber: `0x${read.payment.block_number?.toString(16)}` })
  // Base Sepolia may reorganise for two minutes; only then is it certain that an expired authorization was not used.
  const expiry = read.payment.valid_before
  expect(read.payment).toMatchObject({ pay_to: AGENT, usable_until: expiry + 120 })
  expect(expiry).toBeGreaterThan(ordered.deadline)
  expect(read.retry).toEqual({ possible: false, until: null, reason: 'it was delivered' })
})

test('a job token is accepted in a header and refused in a URL', async () => {
  const { body } = await order(await sign())
  const url = `/v1/jobs/${body.job_id}?job_token=${body.job_token}`
  for (const path of [url, url.replace('?', '/receipt?')]) {
    const answer = await ask({ method: 'GET', url: path })
    expect([answer.statusCode, answer.json()]).toMatchObject([400, { error: 'job_token: is not known here' }])
  }
  const preflight = await app.inject({ method: 'OPTIONS', url: `/v1/jobs/${body.job_id}` })
  expect(preflight.headers['access-control-allow-headers']).toContain('job-token')
})

test('D8 an unanswered job is sent again with the same bytes and payment, and paid once', async () => {
  agent.behave = async call => {
    if (call.repeats === 0) return 'reset'
    const transaction = await call.settle()
    if (call.repeats === 1) return { status: 502, body: 'Bad gateway' }
    const pending = { status: 'pending', job_id: call.jobId, error: 'settling', service_version: '1.0' }
    return call.repeats === 2 ? { status: 503, body: pending } : call.complete(transaction)
  }
  const ordered = await sign()
  const { status, body } = await order(ordered)
  expect({ status, body }).toMatchObject({ status: 200, body: { status: 'completed', charged: true } })
  expect(agent.seen).toHaveLength(4)
  expect(new Set(agent.seen.map(one => one.body)).size).toBe(1)
  expect(new Set(agent.seen.map(one => one.header))).toEqual(new Set([ordered.payment]))
})

test('a repeated order is the same job; another payer or another order with its job_id is refused', async () => {
  const ordered = await sign()
  const [first, second] = await Promise.all([order(ordered), order(ordered)])
  const third = await order({ ...ordered, deadline: ordered.deadline + 5 })
  expect(new Set([first, second, third].map(({ body }) => body.receipt)).size).toBe(1)
  // D22: a new payment by the same payer is never sent.
  expect((await order(await sign({ jobId: ordered.job_id }))).body.receipt).toBe(first.body.receipt)
  expect(agent.seen).toHaveLength(1)
  const ofAnother = await sign({ jobId: ordered.job_id, payerKey: TEST_KEYS.secondPayer.privateKey })
  const otherInput = { ...ordered, input: { text: 'others' } }
  for (const payload of [ofAnother, otherInput])
    expect((await ask({ method: 'POST', url: '/v1/jobs', payload })).json()).toMatchObject({
      error_type: 'conflict',
    })
  for (const { body } of [first, third]) {
    const url = `/v1/jobs/${ordered.job_id}`
    expect((await ask({ method: 'GET', url, headers: shown(body) })).statusCode).toBe(200)
  }
})

test('D6 one payment pays for one job', async () => {
  const { payment: _, ...unpaid } = await sign()
  const free = await freelySigned()
  await order({ ...unpaid, payment: free })
  const again = await ask({
    method: 'POST',
    url: '/v1/jobs',
    payload: { ...unpaid, job_id: randomUUID(), payment: free },
  })
  expect(again.json()).toMatchObject({
    error_type: 'conflict',
    error: expect.stringContaining('another job'),
  })
  expect(agent.seen).toHaveLength(1)
})

/** A payment whose nonce is not bound to a job, as standard clients create it. */
async function freelySigned(): Promise<string> {
  const { createRequirement } = await import('@farebox/payments/x402/requirement')
  const { authorizationTypedData, privateKeySigner } = await import('@farebox/payments/x402/sign-payment')
  const { encodeHeader } = await import('@farebox/payments/x402/payment-header')
  const { network, crypto } = stage.parts
  const terms = { network, payTo: AGENT, amountAtomic: 10_000n, maxDeadlineSeconds: 300 }
  const authorization = {
    from: PAYER,
    to: AGENT,
    value: '10000',
    validAfter: '0',
    validBefore: String(Math.floor(Date.now() / 1_000) + 900),
    nonce: `0x${randomUUID().replaceAll('-', '').repeat(2)}`,
  }
  const signer = privateKeySigner(crypto, TEST_KEYS.payer.privateKey)
  const signature = await signer.signTypedData(authorizationTypedData(network, authorization))
  return encodeHeader({
    x402Version: 2,
    accepted: createRequirement(terms),
    payload: { authorization, signature },
  })
}

test('a failure of the agent is reported with its type and message, and as not charged', async () => {
  agent.behave = () => Promise.resolve(failed(408, 'deadline', 'took too long'))
  const { status, body } = await order(await sign())
  expect({ status, body }).toMatchObject({
    status: 200,
    body: { status: 'failed', error_type: 'deadline', error: 'took too long', charged: false, receipt: null },
  })
  expect(body.payment).toMatchObject({ status: 'open', transaction: null })
})

test('FLOW-08 a charge by an agent that reported a failure is found, and the agent is asked once more', async () => {
  const charges: PaidCall[] = []
  agent.behave = call => {
    charges.push(call)
    return Promise.resolve(failed(500, 'internal', 'Internal error'))
  }
  const ordered = await sign()
  expect((await order(ordered)).body).toMatchObject({ status: 'failed', charged: false })
  await charges[0]?.settle()
  const job = await jobUntil(ordered.job_id, ({ chargedWithoutDelivery }) => chargedWithoutDelivery)
  expect(job).toMatchObject({ state: 'failed', payment: 'paid', transaction: expect.stringMatching(/^0x/) })
  expect(agent.seen).toHaveLength(2)
  const url = `/v1/jobs/${ordered.job_id}`
  const headers = await signedInAs(stage.parts, PAYER)
  expect((await ask({ method: 'GET', url, headers })).json()).toMatchObject({
    status: 'failed',
    charged: true,
    charged_without_delivery: true,
    receipt: null,
  })
})

test('FLOW-08 an output that breaks its own schema is passed to the caller, and counts against the agent', async () => {
  agent.behave = async call => call.complete(await call.settle(), { words: 'two' })
  const { body } = await order(await sign())
  expect(body).toMatchObject({
    status: 'completed',
    charged: true,
    charged_without_delivery: true,
    output: { words: 'two' },
    output_problem: expect.stringContaining('words: '),
  })
})

test('after a 200 without a transfer the job is pending, with its output, until a transfer is proven', async () => {
  const calls: PaidCall[] = []
  agent.behave = call => {
    calls.push(call)
    return Promise.resolve(call.complete(`0x${'5e'.repeat(32)}`))
  }
  const ordered = await sign()
  const { status, body } = await order(ordered)
  expect({ status, body }).toMatchObject({
    status: 202,
    body: { status: 'pending', charged: null, output: { words: 2 }, receipt: null },
  })
  const url = `/v1/jobs/${ordered.job_id}`
  const headers = shown(body)
  expect((await ask({ method: 'GET', url: `${url}/receipt`, headers })).statusCode).toBe(409)
  const transaction = await calls[0]?.settle()
  await jobUntil(ordered.job_id, ({ state }) => state === 'completed')
  expect((await ask({ method: 'GET', url, headers })).json()).toMatchObject({
    status: 'completed',
    charged: true,
    payment: { transaction },
    receipt: expect.any(String),
  })
  expect(agent.seen).toHaveLength(1)
})

test('a delivery is stored before a slow chain proves its payment, and completed by the proof', async () => {
  await jobs?.stop()
  const { rpc } = stage.parts
  let prove = (): void => undefined
  const isKept = new Promise<void>(resolve => {
    prove = resolve
  })
  const slow: typeof rpc = {
    ...rpc,
    async call(method, parameters) {
      if (method === 'eth_getTransactionReceipt') await isKept
      return await rpc.call(method, parameters)
    },
  }
  jobs = startJobs({ ...stage.parts, rpc: slow }, { pollMs: 20 })
  const ordered = await sign()
  expect((await order(ordered, false)).status).toBe(202)
  const kept = await jobUntil(ordered.job_id, ({ answer }) => answer === 'completed')
  expect(kept).toMatchObject({ state: 'pending', payment: 'open' })
  prove()
  expect(await jobUntil(ordered.job_id, ({ state }) => state === 'completed')).toMatchObject({
    payment: 'paid',
  })
  expect(agent.seen).toHaveLength(1)
})

test('D35 a job without an answer expires, and a later delivery with a proven transfer completes it', async () => {
  await agent.close()
  agent = await startChainAgent(chain)
  agent.declaration = { ...agent.declaration, max_deadline_seconds: 1 }
  await insertAgent(stage.database, { endpoint: agent.url, wallet: AGENT, declaration: agent.declaration })
  let answer: (() => void) | undefined
  agent.behave = async call => {
    await new Promise<void>(resolve => {
      answer = resolve
    })
    return call.complete(await call.settle())
  }
  const ordered = await sign({ agentId: 2 })
  const { status, body } = await order(ordered)
  expect({ status, body }).toMatchObject({
    status: 202,
    body: { status: 'expired', charged: null, output: null },
  })
  answer?.()
  const job = await jobUntil(ordered.job_id, ({ state }) => state === 'completed')
  expect(job).toMatchObject({ answer: 'completed', payment: 'paid' })
  expect(agent.seen).toHaveLength(1)
})

test('D35 a transfer completes an expired job without an answer, and the agent is asked for the answer again', async () => {
  agent.behave = async call => {
    await call.settle()
    return call.repeats < 3 ? 'reset' : call.complete(await call.settle())
  }
  const ordered = await sign()
  void order(ordered, false)
  const paid = await until(async () => {
    const job = await readJob(stage.database, ordered.job_id)
    return job?.payment === 'paid' && job.answer === 'none' ? job : undefined
  })
  expect(paid).toMatchObject({ state: 'completed', outputHash: undefined, chargedWithoutDelivery: false })
  await jobUntil(ordered.job_id, ({ answer }) => answer === 'completed')
})

test('only the payer sees a job: 404 for no token, a wrong token, and another signed-in owner', async () => {
  const ordered = await sign()
  const { body } = await order(ordered)
  const stranger = await signedInAs(stage.parts, TEST_KEYS.stranger.address.toLowerCase())
  const path = `/v1/jobs/${ordered.job_id}`
  for (const url of [path, `${path}/receipt`])
    for (const headers of [{}, { 'job-token': 'job_wrong' }])
      expect((await ask({ method: 'GET', url, headers })).statusCode).toBe(404)
  expect((await ask({ method: 'GET', url: path, headers: stranger })).statusCode).toBe(404)
  expect((await ask({ method: 'DELETE', url: `${path}/contents`, headers: stranger })).statusCode).toBe(404)
  expect((await ask({ method: 'GET', url: `/v1/jobs/${randomUUID()}` })).statusCode).toBe(404)
  expect(
    (
      await ask({
        method: 'GET',
        url: path.toUpperCase().replace('/V1/JOBS', '/v1/jobs'),
        headers: shown(body),
      })
    ).statusCode,
  ).toBe(200)
  const { rows } = await stage.database.pool.query<{ all: string }>('select jobs::text as all from jobs')
  expect(rows[0]?.all).not.toContain(body.job_token)
  expect(rows[0]?.all, 'the signed payment is forgotten once it is used').not.toContain(ordered.payment)
})

test('the payer deletes input and output; the receipt is kept and still matches them', async () => {
  const ordered = await sign()
  const { body } = await order(ordered)
  const path = `/v1/jobs/${ordered.job_id}`
  const headers = shown(body)
  expect((await ask({ method: 'DELETE', url: `${path}/contents`, headers })).statusCode).toBe(204)
  const after = (await ask({ method: 'GET', url: path, headers })).json<JobAnswer>()
  expect(after).toMatchObject({
    input: null,
    output: null,
    contents_deleted: true,
    status: 'completed',
    receipt: body.receipt,
  })
  const { rows } = await stage.database.pool.query<{ all: string }>('select jobs::text as all from jobs')
  for (const secret of [
    'two words',
    Buffer.from('two words').toString('hex'),
    Buffer.from('words').toString('hex'),
  ])
    expect(rows[0]?.all).not.toContain(secret)
})

test('a token from a repeated order only reads; the token of the order deletes, after any number of repeats', async () => {
  const ordered = await sign()
  const { body } = await order(ordered)
  // The agent received everything needed to repeat the order.
  const repeats: string[] = []
  for (let repeat = 0; repeat < 12; repeat++) repeats.push((await order(ordered)).body.job_token ?? '')
  const path = `/v1/jobs/${ordered.job_id}`
  const read = async (token = ''): Promise<number> =>
    (await ask({ method: 'GET', url: path, headers: { 'job-token': token } })).statusCode
  expect([await read(repeats[0]), await read(repeats[11]), await read(body.job_token)]).toEqual([
    404, 200, 200,
  ])
  const forget = async (token = '', headers = {}): Promise<unknown> => {
    const url = `${path}/contents`
    const answer = await ask({ method: 'DELETE', url, headers: { 'job-token': token, ...headers } })
    return answer.statusCode === 204 ? 204 : answer.json<{ readonly error_type: string }>().error_type
  }
  expect(await forget(repeats[11])).toBe('forbidden')
  expect((await rowOf(ordered.job_id)).contentsDeletedAtMs).toBeUndefined()
  expect(await forget(body.job_token)).toBe(204)
  expect(await forget(repeats[11], await signedInAs(stage.parts, PAYER))).toBe(204)
})

test('of forty orders at once, none is sent twice by two workers', async () => {
  // The platform's clock is fixed, so neither leases nor deadlines end.
  const nowMs = Date.now()
  const clock: Clock = { ...systemClock, nowMs: () => nowMs }
  await jobs?.stop()
  await app.close()
  await open({ ...stage.parts, clock })
  const another = startJobs(await stage.anotherWorker({ clock }), { pollMs: 20 })
  try {
    const orders = await Promise.all(Array.from({ length: 40 }, () => sign({ deadlineSeconds: 300 })))
    const answers = await Promise.all(orders.map(one => order(one)))
    expect(answers.filter(({ body }) => body.status === 'completed')).toHaveLength(40)
    expect(agent.seen).toHaveLength(40)
  } finally {
    await another.stop()
  }
})
