import type { AddressInfo } from 'node:net'
import { createManualClock } from '@farebox/protocol/src/test-setup/manual-clock'
import type { FastifyInstance } from 'fastify'
import { startChain, type LocalChain } from '@farebox/local/chain/start-chain'
import { fund } from '@farebox/local/chain/faucet'
import { TEST_KEYS } from '@farebox/local/chain/test-keys'
import { createJsonRpc } from '@farebox/payments/chain/json-rpc-pool'
import type { JobAnswer } from '@farebox/platform-api/jobs'
import type { Database } from '@farebox/server/internal/postgres/connect'
import { until } from '@farebox/protocol/src/test-setup/until'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { createApp } from '../app/create-app.ts'
import type { Background } from '../work/loop.ts'
import { answersAsDocumented, readEvents } from '../test-setup/answers-as-documented.ts'
import { startChainAgent, type ChainAgent } from '../test-setup/network/chain-agent.ts'
import { insertAgent } from '../test-setup/database/insert-agent.ts'
import { signOrder } from '../test-setup/runs/job-orders.ts'
import { signedInAs } from '../test-setup/sign-in.ts'
import { stagePlatform, type Stage } from '../test-setup/stage-platform.ts'
import { startJobs } from './drive/start-jobs.ts'
import { jobsRoutes } from './jobs-routes.ts'
import { createJobWatch } from './records/watch-jobs.ts'

let chain: LocalChain
let stage: Stage
let agent: ChainAgent
let app: FastifyInstance
let ask: ReturnType<typeof answersAsDocumented>
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

async function place(): Promise<{
  readonly url: string
  readonly headers: { readonly 'job-token': string }
}> {
  const payload = await signOrder(stage.parts, { endpoint: agent.url })
  const answer = (await ask({ method: 'POST', url: '/v1/jobs?wait=false', payload })).json<JobAnswer>()
  return { url: `/v1/jobs/${answer.job_id}/events`, headers: { 'job-token': answer.job_token ?? '' } }
}

/** A stream whose text is read as it arrives. */
interface OpenStream {
  readonly headers: Headers
  /** Reads until the received text contains these words. */
  sees(words: string): Promise<void>
  /** Reads to the end, and resolves to the whole text. */
  ends(): Promise<string>
}

async function open(
  { url, headers }: Awaited<ReturnType<typeof place>>,
  signal = new AbortController().signal,
): Promise<OpenStream> {
  if (!app.server.listening) await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as AddressInfo
  const answer = await fetch(`http://127.0.0.1:${port}${url}`, { headers, signal })
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  const read = async (): Promise<boolean> => {
    const { value = '', done = true } = (await reader?.read()) ?? {}
    text += value
    return !done
  }
  return {
    headers: answer.headers,
    async sees(words) {
      while (!text.includes(words) && (await read()));
      expect(text).toContain(words)
    },
    async ends() {
      while (await read());
      return text
    },
  }
}

const statesOf = (body: string): readonly unknown[] =>
  readEvents(body).map(({ event, data }) => [event, (data as JobAnswer).status])

test('a payer receives each state of a job, the last one with output and receipt, and the stream ends', async () => {
  let deliver: () => void = () => undefined
  const asked = new Promise<void>(resolve => (deliver = resolve))
  agent.behave = async call => {
    await asked
    return call.complete(await call.settle())
  }
  const stream = await open(await place())
  await stream.sees('"status":"sent"')
  deliver()
  const body = await stream.ends()
  expect(Object.fromEntries(stream.headers)).toMatchObject({
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  })
  const events = readEvents(body)
  expect(statesOf(body)[0]).toEqual(['job', 'sent'])
  expect(events.at(-1)?.data).toMatchObject({
    status: 'completed',
    output: { words: 2 },
    receipt: expect.any(String),
    payment: { status: 'paid' },
  })
})

test('with the id of the newest event no event is repeated, even from another process', async () => {
  const { url, headers } = await place()
  const events = readEvents((await ask({ method: 'GET', url, headers })).body)
  const last = events.at(-1)?.id ?? ''
  const worker = await stage.anotherWorker()
  const other = createApp(worker, jobsRoutes(worker))
  const again = async (id: string): Promise<readonly unknown[]> => {
    const answer = await other.inject({ method: 'GET', url, headers: { ...headers, 'last-event-id': id } })
    return statesOf(answer.body)
  }
  await until(async () => (await again('')).length === 1)
  const [settled] = readEvents((await other.inject({ method: 'GET', url, headers })).body)
  const over = await other.inject({
    method: 'GET',
    url,
    headers: { ...headers, 'last-event-id': settled?.id ?? '' },
  })
  expect([over.statusCode, over.body], 'a stock EventSource stops').toEqual([204, ''])
  expect(await again('0123456789abcdef')).toEqual([['job', 'completed']])
  expect(last).toMatch(/^[0-9a-f]{16}$/)
  await other.close()
})

test('a failed job is watched until its payment can no longer be used, and a retry is reported', async () => {
  agent.behave = call =>
    call.repeats === 0
      ? Promise.resolve({ status: 500, body: { status: 'failed', error_type: 'internal', error: 'no' } })
      : call.settle().then(transaction => call.complete(transaction))
  const payload = await signOrder(stage.parts, { endpoint: agent.url })
  const ordered = (await ask({ method: 'POST', url: '/v1/jobs', payload })).json<JobAnswer>()
  const headers = { 'job-token': ordered.job_token ?? '' }
  const stream = await open({ url: `/v1/jobs/${ordered.job_id}/events`, headers })
  await stream.sees('"status":"failed"')
  const retry = { method: 'POST', url: `/v1/jobs/${ordered.job_id}/retry`, headers } as const
  await ask({ ...retry, payload: { payment: payload.payment } })
  const states = statesOf(await stream.ends()).map(state => (state as readonly unknown[])[1])
  expect([states[0], states.at(-1)]).toEqual(['failed', 'completed'])
})

test('other callers cannot watch a job, and a token in the URL is refused', async () => {
  const { url, headers } = await place()
  const stranger = await signedInAs(stage.parts, TEST_KEYS.stranger.address.toLowerCase())
  for (const shown of [{}, { 'job-token': 'job_wrong' }, stranger])
    expect((await ask({ method: 'GET', url, headers: shown })).statusCode).toBe(404)
  const inUrl = await ask({ method: 'GET', url: `${url}?job_token=${headers['job-token']}` })
  expect(inUrl.statusCode).toBe(400)
})

test('a disconnecting caller and a closing platform end a stream; events arrive while it is open', async () => {
  agent.behave = () => new Promise(() => undefined)
  const job = await place()
  const leaving = new AbortController()
  const gone = await open(job, leaving.signal)
  await gone.sees('"status":"sent"')
  leaving.abort()
  const staying = await open(job)
  await staying.sees('"status":"sent"')
  await app.close()
  expect(statesOf(await staying.ends())).toEqual([['job', 'sent']])
})

test('any number of watchers cause one database query at a time, four times a second', async () => {
  const asked: string[] = []
  const { database } = stage
  const counting: Database = {
    ...database,
    query: async (name, text, values) => {
      asked.push(name)
      return await database.query(name, text, values)
    },
  }
  agent.behave = () => new Promise(() => undefined)
  const { url } = await place()
  const jobId = url.split('/')[3] ?? ''
  const clock = createManualClock()
  const watch = createJobWatch({ ...stage.parts, clock, database: counting })
  const leaving = Array.from({ length: 200 }, () => new AbortController())
  const watching = leaving.map(async ({ signal }) => {
    const seen: string[] = []
    for await (const version of watch.versions(jobId, signal)) seen.push(version)
    return seen
  })
  await until(() => asked.length >= 200)
  asked.length = 0
  for (let quarter = 1; quarter <= 4; quarter++) {
    await until(() => clock.waiting() === 1)
    clock.pass(249)
    expect(asked).toHaveLength(quarter - 1)
    clock.pass(1)
    await until(() => asked.length === quarter)
  }
  // The last query was answered, and the next one is scheduled.
  await until(() => clock.waiting() === 1)
  for (const one of leaving) one.abort()
  expect((await Promise.all(watching)).map(seen => seen.length)).toEqual(Array.from({ length: 200 }, () => 1))
  // The next query finds no watchers, so none follows it.
  clock.pass(250)
  await until(() => clock.waiting() === 0)
  clock.pass(1_000)
  expect([clock.waiting(), asked.length]).toEqual([0, 4])
})
