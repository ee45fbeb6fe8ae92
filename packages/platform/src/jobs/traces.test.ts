import { parseTraceparent } from '@farebox/protocol/src/trace/traceparent'
import { startChain, type LocalChain } from '@farebox/local/chain/start-chain'
import { fund } from '@farebox/local/chain/faucet'
import { TEST_KEYS } from '@farebox/local/chain/test-keys'
import { createJsonRpc } from '@farebox/payments/chain/json-rpc-pool'
import type { JobAnswer } from '@farebox/platform-api/jobs'
import { systemClock } from '@farebox/protocol/time/clock'
import type { Log, LogFields } from '@farebox/server/log'
import type { FastifyInstance } from 'fastify'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { createApp } from '../app/create-app.ts'
import type { Background } from '../work/loop.ts'
import { startChainAgent, type ChainAgent } from '../test-setup/network/chain-agent.ts'
import { insertAgent } from '../test-setup/database/insert-agent.ts'
import { signOrder } from '../test-setup/runs/job-orders.ts'
import { stagePlatform, type Stage } from '../test-setup/stage-platform.ts'
import { startJobs } from './drive/start-jobs.ts'
import { jobsRoutes } from './jobs-routes.ts'

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const SPAN = '00f067aa0ba902b7'

let chain: LocalChain
let stage: Stage
let agent: ChainAgent
let app: FastifyInstance
let jobs: Background
const lines: (LogFields & { readonly event: string })[] = []

beforeAll(async () => {
  chain = await startChain()
  await fund(chain, TEST_KEYS.payer.address, { usdcAtomic: 1_000_000_000n })
})
afterAll(async () => await chain.stop())

beforeEach(async () => {
  lines.length = 0
  const write = (event: string, fields: LogFields = {}): void => void lines.push({ event, ...fields })
  const log: Log = { info: write, warn: write, error: write }
  stage = await stagePlatform({ realTime: true, rpc: createJsonRpc(chain.rpcUrl), log })
  agent = await startChainAgent(chain)
  const wallet = TEST_KEYS.agent.address.toLowerCase()
  await insertAgent(stage.database, { endpoint: agent.url, wallet, declaration: agent.declaration })
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

async function order(headers: { readonly [name: string]: string }): Promise<JobAnswer> {
  const payload = await signOrder({ ...stage.parts, clock: systemClock }, { endpoint: agent.url })
  const answer = await app.inject({ method: 'POST', url: '/v1/jobs', payload, headers })
  expect(answer.statusCode).toBe(200)
  return answer.json<JobAnswer>()
}

const eventsOf = (jobId: string): readonly string[] =>
  lines.filter(({ job }) => job === jobId).map(({ event }) => event)

test('an order’s trace is sent with each send under a new span id, and is in every line about the job', async () => {
  const honest = agent.behave
  agent.behave = async call =>
    call.repeats === 0 ? { status: 503, headers: {}, body: '{}' } : await honest(call)
  const { job_id: jobId } = await order({ traceparent: `00-${TRACE}-${SPAN}-01`, tracestate: 'hostile=1' })
  const sent = agent.seen.map(({ traceparent }) => parseTraceparent(String(traceparent)))
  expect(sent).toHaveLength(2)
  for (const trace of sent) expect(trace).toMatchObject({ id: TRACE, isSampled: true })
  expect(new Set([SPAN, ...sent.map(trace => trace?.parentId)]).size).toBe(3)
  expect(agent.seen.map(({ tracestate }) => tracestate)).toEqual([undefined, undefined])
  await expect.poll(() => eventsOf(jobId)).toEqual(['job ordered', 'job'])
  const { from, nonce } = JSON.parse(atob(agent.seen[0]?.header ?? '')).payload.authorization
  const { asset } = stage.parts.network
  const key = `84532:${asset.address}:${from}:${nonce}`
  for (const line of lines.filter(({ job }) => job === jobId))
    expect(line).toMatchObject({ trace: TRACE, key })
  expect(lines.find(({ event }) => event === 'request')).toMatchObject({ trace: TRACE })
})

test.each([
  ['none', {}],
  ['an invalid one', { traceparent: `ff-${TRACE}-${SPAN}-01` }],
  ['a very long one', { traceparent: `00-${TRACE}-${SPAN}-01${'0'.repeat(5_000)}` }],
])('an order without a valid traceparent is accepted, and gets a new trace: %s', async (_, headers) => {
  const { job_id: jobId } = await order(headers)
  const [sent] = agent.seen.map(({ traceparent }) => parseTraceparent(String(traceparent)))
  expect(sent).toMatchObject({ id: expect.stringMatching(/^(?!4bf9)[0-9a-f]{32}$/) })
  await expect.poll(() => eventsOf(jobId)).toEqual(['job ordered', 'job'])
  for (const line of lines.filter(({ job }) => job === jobId)) expect(line['trace']).toBe(sent?.id)
})

test('a job that was ordered before traces were kept is sent in a new trace', async () => {
  await jobs.stop()
  const payload = await signOrder({ ...stage.parts, clock: systemClock }, { endpoint: agent.url })
  await app.inject({ method: 'POST', url: '/v1/jobs?wait=false', payload })
  await stage.database.query('forget-trace', 'update jobs set traceparent = null', [])
  jobs = startJobs(stage.parts, { pollMs: 20 })
  await expect.poll(() => agent.seen).toMatchObject([{ traceparent: expect.stringMatching(/^00-/) }])
})
