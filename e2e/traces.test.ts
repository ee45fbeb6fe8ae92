import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { TEST_KEYS } from '@farebox/local/chain/test-keys'
import { registerAgent } from '@farebox/local/src/listing/register-agent'
import { findFreePort } from '@farebox/local/src/processes/free-port'
import type { LocalAgentProcess } from '@farebox/local/src/start-agent-process'
import type { FacilitatorProcess } from '@farebox/local/src/start-facilitator-process'
import type { PlatformProcess } from '@farebox/local/src/start-platform-process'
import { createJsonRpc } from '@farebox/payments/chain/json-rpc-pool'
import type { JobAnswer, JobOrder } from '@farebox/platform-api/jobs'
import { until } from '@farebox/protocol/src/test-setup/until'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { orderUntilDone, signOrder, type ListedAgent } from './stage/order.ts'
import { setStage, type Stage } from './stage/stage.ts'

const WALLET = TEST_KEYS.agent.address

let stage: Stage
let facilitator: FacilitatorProcess
let platform: PlatformProcess
let secret: string
let seller: LocalAgentProcess
let listed: ListedAgent
let port: number

beforeAll(async () => {
  stage = await setStage()
  facilitator = await stage.facilitator()
  platform = await stage.platform({ facilitator })
  secret = await stage.secret(facilitator, [WALLET])
  port = await findFreePort()
  seller = await startSeller('seller')
  const { agentId } = await registerAgent({ url: platform.url }, stage.chain, {
    url: seller.url,
    wallet: WALLET,
  })
  listed = { agentId, endpoint: seller.url, wallet: WALLET }
})
afterAll(() => stage.strike())

async function startSeller(name: string): Promise<LocalAgentProcess> {
  const store = `lmdb:${join(stage.folder, 'seller-jobs')}`
  const config = 'e2e/agents/teller/agent.json'
  return await stage.agent({ config, facilitator, secret, name, store, port, wallet: WALLET })
}

type Line = { readonly event: string; readonly [field: string]: unknown }

/** A program's lines so far. */
async function linesOf(program: string): Promise<readonly Line[]> {
  const text = await readFile(join(stage.folder, 'logs', `${program}.log`), 'utf8').catch(() => '')
  return text.split('\n').flatMap(line => (line.startsWith('{') ? [JSON.parse(line) as Line] : []))
}

/** The events by which a trace is found, in the order in which each program wrote them. */
async function follow(trace: string): Promise<{ readonly [program: string]: readonly string[] }> {
  const found: { [program: string]: readonly string[] } = {}
  for (const program of ['platform', 'seller', 'seller-again', 'facilitator']) {
    const lines = (await linesOf(program)).filter(line => line['trace'] === trace)
    if (lines.length > 0) found[program] = lines.map(({ event }) => event)
  }
  return found
}

interface Traced {
  readonly order: JobOrder
  readonly trace: string
  readonly headers: { readonly [name: string]: string }
}

async function signTraced(capability: string, price: string, input: JobOrder['input']): Promise<Traced> {
  const order = await signOrder(stage, listed, { capability, price, input })
  const trace = randomBytes(16).toString('hex')
  const traceparent = `00-${trace}-${randomBytes(8).toString('hex')}-01`
  return { order, trace, headers: { 'content-type': 'application/json', traceparent } }
}

async function send({ order, headers }: Traced): Promise<JobAnswer> {
  const body = JSON.stringify(order)
  const answer = await fetch(`${platform.url}/v1/jobs?wait=false`, { method: 'POST', headers, body })
  return (await answer.json()) as JobAnswer
}

/** In each program, a line that names the job or its payment has the trace, and all name the same job and payment. */
async function expectNoLineWithout({ order, trace }: Traced): Promise<void> {
  const all: (Line & { readonly program: string })[] = []
  for (const program of ['platform', 'seller', 'seller-again', 'facilitator'])
    all.push(...(await linesOf(program)).map(line => ({ ...line, program })))
  const keys = new Set(all.filter(line => line['trace'] === trace).flatMap(({ key }) => key ?? []))
  expect(keys.size).toBe(1)
  const [key] = keys
  const named = all.filter(line => line['job'] === order.job_id || line['key'] === key)
  expect(named.filter(line => line['trace'] !== trace)).toEqual([])
  // The agent does not know the payment when it has just read the order.
  expect(named.filter(line => line['key'] === undefined && line.event !== 'execute')).toEqual([])
  const bindings = named.filter(({ program }) => program === 'facilitator').map(line => line['job'])
  expect([...new Set(bindings)]).toEqual([expect.stringMatching(/^0x[0-9a-f]{64}$/)])
  expect(new Set(named.map(({ program }) => program)).has('seller')).toBe(true)
}

test('a completed job has one trace id on platform, agent and facilitator', async () => {
  const traced = await signTraced('count', '0.002', { text: 'one two three' })
  await send(traced)
  expect(await orderUntilDone(platform.url, traced.order)).toMatchObject({ status: 'completed' })
  const complete = {
    platform: ['job ordered', 'request', 'job'],
    seller: ['execute', 'payment verified', 'input valid', 'output valid', 'completed'],
    facilitator: ['payment held', 'payment submitted', 'payment settled'],
  }
  await expect.poll(() => follow(traced.trace)).toEqual(complete)
  await expectNoLineWithout(traced)
})

test('a failed job has one trace id: on its handler’s error, and on the release of its payment', async () => {
  const traced = await signTraced('stumble', '0.003', { text: `new ${Date.now()}` })
  await send(traced)
  expect(await orderUntilDone(platform.url, traced.order)).toMatchObject({ status: 'failed', charged: false })
  await expect
    .poll(() => follow(traced.trace))
    .toEqual({
      platform: ['job ordered', 'request', 'job'],
      seller: ['execute', 'payment verified', 'input valid', 'handler error: stumbled'],
      facilitator: ['payment held', 'payment released'],
    })
  await expectNoLineWithout(traced)
})

test('a pending job keeps its trace id, also when its agent is restarted before the settlement', async () => {
  const rpc = createJsonRpc(stage.chain.rpcUrl)
  stage.onStrike(() => rpc.close())
  const traced = await signTraced('count', '0.002', { text: 'one two' })
  await rpc.call('evm_setAutomine', [false])
  await send(traced)
  const { trace } = traced
  const writes = async (program: string, event: string): Promise<boolean> =>
    (await follow(trace))[program]?.includes(event) ?? false
  await until(() => writes('facilitator', 'payment submitted'))
  await until(() => writes('platform', 'job'))
  await seller.stop()
  seller = await startSeller('seller-again')
  await until(() => writes('seller-again', 'resuming a settlement that an earlier process left open'))
  await rpc.call('evm_setAutomine', [true])
  await rpc.call('evm_mine', [])
  expect(await orderUntilDone(platform.url, traced.order)).toMatchObject({ status: 'completed' })
  await expect.poll(async () => (await follow(trace))['facilitator']).toContain('payment settled')
  const found = await follow(trace)
  expect(found['seller-again']).toContain('completed')
  expect(found['seller']).not.toContain('completed')
  await expectNoLineWithout(traced)
})
