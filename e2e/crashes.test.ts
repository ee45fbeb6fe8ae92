import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { findFreePort } from '@farebox/local/src/processes/free-port'
import { startChild } from '@farebox/local/src/processes/child-process'
import { fund } from '@farebox/local/chain/faucet'
import { TEST_KEYS } from '@farebox/local/chain/test-keys'
import { usdcBalance } from '@farebox/local/src/chain/top-up'
import type { FacilitatorProcess } from '@farebox/local/src/start-facilitator-process'
import { privateKeySigner } from '@farebox/payments/x402/sign-payment'
import { until } from '@farebox/protocol/src/test-setup/until'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { jobBody, post, signFor, transfersTo, type Answered } from './stage/pay.ts'
import { startRpcProxy } from './stage/proxies/rpc-proxy.ts'
import { startRunCounter } from './stage/run-counter.ts'
import { setStage, type Stage } from './stage/stage.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const CONFIG = 'e2e/agents/counted/agent.json'

let stage: Stage
let facilitator: FacilitatorProcess
let secret: string

beforeAll(async () => {
  stage = await setStage()
  facilitator = await stage.facilitator()
  secret = await stage.secret(facilitator, [TEST_KEYS.agent.address])
})

afterAll(() => stage.strike())

/** A separate payer with money for exactly one job: a second transfer would be impossible, and the first is visible. */
async function newPayer(): Promise<{ readonly key: string; readonly address: string }> {
  const key = `0x${Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('hex')}`
  const { address } = privateKeySigner(stage.crypto, key)
  await fund(stage.chain, address, { usdcAtomic: 10_000n })
  return { key, address }
}

/** Starts an agent that dies at a step, with its own store. */
async function startCrashingAgent(
  name: string,
  crashAt: string,
): Promise<{ readonly url: string; readonly exited: Promise<unknown>; readonly pid: number }> {
  const child = await startChild({
    command: process.execPath,
    arguments: [
      '--import',
      'tsx',
      '--conditions',
      '@farebox/source',
      join(root, 'e2e/stage/crashing-agent.ts'),
      join(root, CONFIG),
      join(root, 'e2e/agents/counted/handlers.ts'),
    ],
    folder: root,
    environment: {
      PATH: process.env['PATH'] ?? '',
      AGENT_WALLET_ADDRESS: TEST_KEYS.agent.address,
      FACILITATOR_SECRET: secret,
      FACILITATOR_URL: facilitator.url,
      SERVICE_DEV_MODE: 'false',
      SERVICE_NETWORK: 'eip155:84532',
      SERVICE_STORE: storeOf(name),
      SERVICE_PUBLIC_URL: 'https://counted.example',
      PORT: '0',
      CRASH_AT: crashAt,
    },
    readReady: line => /"event":"listening","url":"([^"]+)"/.exec(line)?.[1],
  })
  stage.onStrike(() => child.stop(0))
  return { url: child.ready, exited: child.exited, pid: child.pid }
}

function storeOf(name: string): string {
  return `lmdb:${join(stage.folder, 'jobs', name)}`
}

async function restart(name: string): Promise<string> {
  const agent = await stage.agent({
    config: CONFIG,
    name: `restarted-${name}`,
    facilitator,
    secret,
    store: storeOf(name),
    environment: { SERVICE_PUBLIC_URL: 'https://counted.example' },
  })
  return agent.url
}

/** Repeats the same request until it is neither pending nor unanswered, like any careful client. */
async function untilAnswered(url: string, body: string, header: string): Promise<Answered> {
  return await until(async () => {
    const answered = await post(url, body, header).catch(() => undefined)
    return answered?.status !== 503 && answered
  }, 500)
}

describe.concurrent('kill -9 of the agent', () => {
  test.each<[string, string, { runs: number; answered?: number }]>([
    ['after the claim, before the handler', 'claim:after', { runs: 1 }],
    ['after the handler, before its response is saved', 'save:before', { runs: 2 }],
    ['after the response is saved, before it is charged', 'save:after', { runs: 1 }],
    ['after it is charged, before that is written down', 'finish:before', { runs: 1 }],
    ['after it is charged, answered and written down', 'finish:after', { runs: 1, answered: 200 }],
  ])('PAY-22 %s: the repeat is answered 200, and one job is paid for', async (_, crashAt, expected) => {
    const payer = await newPayer()
    const runs = await startRunCounter(stage)
    const name = crashAt.replace(':', '-')
    const agent = await startCrashingAgent(name, crashAt)
    const header = await signFor(stage, {
      payTo: TEST_KEYS.agent.address,
      price: '0.01',
      payerKey: payer.key,
    })
    const body = jobBody(randomUUID(), { text: crashAt, tell_url: runs.url })

    const first = await post(agent.url, body, header).catch(() => undefined)
    expect(first?.status).toBe(expected.answered)
    await agent.exited
    const answered = await untilAnswered(await restart(name), body, header)

    expect(answered.status).toBe(200)
    expect(JSON.parse(answered.body)).toMatchObject({ status: 'completed', output: { text: crashAt } })
    expect(runs.count()).toBe(expected.runs)
    expect(await usdcBalance(stage.chain, payer.address)).toBe(0n)
  })

  test('PAY-22 after the answer and before it is stored: the repeat gets the same bytes, and nothing is charged again', async () => {
    const payer = await newPayer()
    const runs = await startRunCounter(stage)
    const agent = await startCrashingAgent('finish-late', 'finish:late')
    const header = await signFor(stage, {
      payTo: TEST_KEYS.agent.address,
      price: '0.01',
      payerKey: payer.key,
    })
    const body = jobBody(randomUUID(), { text: 'late', tell_url: runs.url })
    const first = await post(agent.url, body, header)
    await agent.exited
    const second = await untilAnswered(await restart('finish-late'), body, header)
    expect([first.status, second.status, second.body]).toEqual([200, 200, first.body])
    expect(second.headers.get('payment-response')).toBe(first.headers.get('payment-response'))
    expect(first.headers.get('payment-response')).toBeTypeOf('string')
    expect(runs.count()).toBe(1)
    expect(await usdcBalance(stage.chain, payer.address)).toBe(0n)
  })

  test('PAY-22 while the handler runs: the job runs again, is answered 200, and is charged once', async () => {
    const payer = await newPayer()
    const pids: number[] = []
    const runs = await startRunCounter(stage, () => {
      const pid = pids.pop()
      if (pid !== undefined) process.kill(pid, 'SIGKILL')
    })
    const agent = await startCrashingAgent('mid-handler', 'never')
    pids.push(agent.pid)
    const header = await signFor(stage, {
      payTo: TEST_KEYS.agent.address,
      price: '0.01',
      payerKey: payer.key,
    })
    const body = jobBody(randomUUID(), { text: 'mid', tell_url: runs.url })
    await expect(post(agent.url, body, header)).rejects.toThrow()
    const answered = await untilAnswered(await restart('mid-handler'), body, header)
    expect(answered.status).toBe(200)
    expect(runs.count()).toBe(2)
    expect(await usdcBalance(stage.chain, payer.address)).toBe(0n)
  })

  test('an open settlement is resumed by the next start, without a request', async ({ expect }) => {
    const payer = await newPayer()
    const agent = await startCrashingAgent('unasked', 'save:after')
    const header = await signFor(stage, {
      payTo: TEST_KEYS.agent.address,
      price: '0.01',
      payerKey: payer.key,
    })
    await expect(post(agent.url, jobBody(randomUUID(), { text: 'unasked' }), header)).rejects.toThrow()
    await agent.exited
    await restart('unasked')
    await expect.poll(() => usdcBalance(stage.chain, payer.address)).toBe(0n)
  })
})

describe('kill -9 of the facilitator', () => {
  test.each([
    ['with the transaction signed and saved, not yet sent', 'before'],
    ['with the transaction sent, its receipt not yet seen', 'after'],
  ] as const)('PAY-22 %s: after its restart the job is answered 200 and paid for once', async (_, moment) => {
    const proxy = await startRpcProxy(stage)
    const port = await findFreePort()
    const environment = {
      FACILITATOR_PORT: String(port),
      DATABASE_SCHEMA: `e2e_crash_${process.pid}_${moment}`,
    }
    const first = await stage.facilitator({ name: `crash-${moment}`, rpcUrl: proxy.url, environment })
    const ownSecret = await stage.secret(first, [TEST_KEYS.thirdAgent.address])
    const payer = await newPayer()
    const runs = await startRunCounter(stage)
    const agent = await stage.agent({
      config: CONFIG,
      name: `facilitator-${moment}`,
      facilitator: first,
      secret: ownSecret,
      store: storeOf(`facilitator-${moment}`),
      wallet: TEST_KEYS.thirdAgent.address,
    })
    const transfers = await transfersTo(stage, TEST_KEYS.thirdAgent.address)
    const header = await signFor(stage, {
      payTo: TEST_KEYS.thirdAgent.address,
      price: '0.01',
      payerKey: payer.key,
    })
    const body = jobBody(randomUUID(), { text: moment, tell_url: runs.url })

    proxy.onSend = { [moment]: () => process.kill(first.pid, 'SIGKILL') }
    const answering = untilAnswered(agent.url, body, header)
    await first.exited
    proxy.onSend = undefined
    await stage.facilitator({ name: `crash-${moment}-again`, rpcUrl: proxy.url, environment })

    const answered = await answering
    expect(answered.status).toBe(200)
    expect(runs.count()).toBe(1)
    expect((await transfersTo(stage, TEST_KEYS.thirdAgent.address)) - transfers).toBe(1)
    expect(await usdcBalance(stage.chain, payer.address)).toBe(0n)
  })
})
