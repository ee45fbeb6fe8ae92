import { inspect } from 'node:util'
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { privateKeyToAccount } from 'viem/accounts'
import { loadEvmCrypto, type EvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import { decodePaymentHeader, encodeHeader } from '@farebox/payments/x402/payment-header'
import { privateKeySigner, type PaymentSigner } from '@farebox/payments/x402/sign-payment'
import { parseTraceparent } from '@farebox/protocol/src/trace/traceparent'
import { isServiceError } from '@farebox/protocol/errors/service-errors'
import {
  AGENT_WALLET,
  TRANSACTION,
  failed,
  pending,
  startTestAgent,
  write,
  type Fault,
  type Reply,
  type TestAgent,
} from '../testing/agent.ts'
import { createTestClock, type TestClock } from '../testing/clock.ts'
import { execute, type ExecuteOptions } from './execute.ts'
import type { JournalEntry } from './attempt/journal-entry.ts'
import { attemptOf } from './attempt/paid-attempt.ts'
import { PaymentUnresolved } from './attempt/payment-unresolved.ts'
import { QuoteRefused } from './attempt/quote-refused.ts'

const NOW = 1_800_000_000
const KEY = '0x5de4111afa1a4b94908f83103eb1f1706367c2e68ca870fc3fb9a804cdab365a'
const STRANGER = '0x23618e81e3f5cdf7f54c3d65f7fbc0abf5b21e8f'
const JOB_ID = '3f8a2c1e-9b4d-4f6a-8c2b-1d5e7f9a0b3c'
const OTHER_JOB_ID = '4f8a2c1e-9b4d-4f6a-8c2b-1d5e7f9a0b3c'
const RECEIPT = { success: true, transaction: TRANSACTION, network: 'eip155:84532' }
const HTML = { 'content-type': 'text/html' }
const GOOD_OFFER = {
  scheme: 'exact',
  network: 'eip155:84532',
  asset: '0x036cbd53842c5426634e7929541ec2318f3dcf7e',
  amount: '10000',
  payTo: AGENT_WALLET,
  maxTimeoutSeconds: 60,
  extra: { name: 'USDC', version: '2' },
}

let crypto: EvmCrypto
let clock: TestClock
let agent: TestAgent
let signatures: number
let journal: JournalEntry[]

beforeAll(async () => {
  crypto = await loadEvmCrypto()
})

beforeEach(async () => {
  clock = createTestClock(NOW)
  agent = await startTestAgent(crypto, clock)
  signatures = 0
  journal = []
})

afterEach(async () => {
  await agent.close()
  expect(clock.waiting(), 'no timer is left behind').toBe(0)
})

/** Signs as a wallet does, and counts the signatures. */
function countingSigner(signer: PaymentSigner = privateKeySigner(crypto, KEY)): PaymentSigner {
  return {
    address: signer.address,
    async signTypedData(typedData) {
      signatures += 1
      return await signer.signTypedData(typedData)
    },
  }
}

function options(changes: Partial<ExecuteOptions> = {}): ExecuteOptions {
  return {
    clock,
    crypto,
    jobId: JOB_ID,
    signer: countingSigner(),
    journal: entry => void journal.push(entry),
    ...changes,
  }
}

async function call(changes: Partial<ExecuteOptions> = {}): ReturnType<typeof execute> {
  return await execute(agent.url, 'count', { text: 'hello world' }, options(changes))
}

async function failureOf(work: Promise<unknown>): Promise<Error> {
  const thrown: unknown = await work.then(
    () => undefined,
    (error: unknown) => error,
  )
  if (!(thrown instanceof Error)) throw new Error('it should have been rejected')
  return thrown
}

/** The requests that carried a payment. */
function paidRequests(): TestAgent['seen'] {
  return agent.seen.filter(({ header }) => header !== undefined)
}

/** Serves these offers in the header of the 402; the body is empty unless given. */
function offer(accepts: readonly object[], body: object = {}): void {
  const headers = { 'payment-required': encodeHeader({ x402Version: 2, accepts }) }
  agent.lie = (_, reply) => (reply.status === 402 ? { status: 402, headers, body } : reply)
}

/** Arrays in arrays. */
function nested(levels: number): unknown {
  return levels === 0 ? 0 : [nested(levels - 1)]
}

function expectOnePairOnly(): void {
  expect(signatures).toBe(1)
  expect(journal).toHaveLength(1)
  const [entry] = journal
  expect(new Set(paidRequests().map(({ body }) => body))).toEqual(new Set([entry?.body]))
  expect(new Set(paidRequests().map(({ header }) => header))).toEqual(new Set([entry?.header]))
}

/** Does the job, then loses the response. */
const workThenReset: Fault = (work, response) => {
  work()
  response.destroy()
}

describe('the caller’s traceparent', () => {
  const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
  const traceparent = `00-${TRACE}-00f067aa0ba902b7-01`

  test('is sent with each request for the job, with the same trace id and a new span id', async () => {
    agent.faults.push(workThenReset)
    const read: RequestInit[] = []
    const fetch: ExecuteOptions['fetch'] = async (url, init) => {
      if (init.method === 'GET') read.push(init)
      return await globalThis.fetch(url, init)
    }
    await call({ traceparent, fetch })
    const sent = agent.seen.map(seen => parseTraceparent(seen.traceparent))
    expect(sent).toHaveLength(3)
    for (const trace of sent) expect(trace).toMatchObject({ id: TRACE, isSampled: true })
    expect(new Set(['00f067aa0ba902b7', ...sent.map(trace => trace?.parentId)]).size).toBe(4)
    expect(read.map(({ headers }) => headers)).toEqual([{ accept: 'application/json' }])
  })

  test('that is not valid is replaced by a new trace, the same for all requests', async () => {
    await call({ traceparent: `${traceparent}, ${traceparent}` })
    const ids = agent.seen.map(seen => parseTraceparent(seen.traceparent)?.id)
    expect(ids).toEqual([expect.stringMatching(/^(?!4bf9)[0-9a-f]{32}$/), ids[0]])
  })

  test('that is absent is not sent', async () => {
    await call()
    expect(agent.seen.map(seen => seen.traceparent)).toEqual(agent.seen.map(() => undefined))
  })
})

describe('a job that goes well', () => {
  test('is paid once and returns output, receipt and the response as received', async () => {
    const result = await call()
    expect(result).toEqual({
      output: { words: 2 },
      violation: undefined,
      jobId: JOB_ID,
      completedAt: NOW,
      payment: {
        network: 'eip155:84532',
        amountAtomic: 10_000n,
        payer: privateKeySigner(crypto, KEY).address,
        payTo: AGENT_WALLET,
        transaction: TRANSACTION,
        receiptProblem: undefined,
      },
      raw: expect.stringContaining('"completed"'),
    })
    expectOnePairOnly()
    expect(agent.transfers).toHaveLength(1)
  })

  test('is paid by a viem account without an adapter', async () => {
    const result = await call({ signer: privateKeyToAccount(KEY) })
    expect(result.payment?.transaction).toBe(TRANSACTION)
  })

  test('D17 a payment is valid for deadline and settle margin, not for as long as the agent asks', async () => {
    offer([{ ...GOOD_OFFER, maxTimeoutSeconds: 86_400 }])
    await call()
    const [entry] = journal
    const decoded = decodePaymentHeader(entry?.header ?? '')
    const times = { validAfter: '0', validBefore: String(NOW + 60) }
    expect(decoded).toMatchObject({ payment: { authorization: times } })
    expect(JSON.parse(entry?.body ?? '')).toMatchObject({ job_id: JOB_ID, deadline: NOW + 20 })
  })

  test('D17 a payment with a longer deadline is valid for it and its settle margin', async () => {
    await call({ deadlineSeconds: 90 })
    const decoded = decodePaymentHeader(journal[0]?.header ?? '')
    expect(decoded).toMatchObject({ payment: { authorization: { validBefore: String(NOW + 101) } } })
    expect(JSON.parse(journal[0]?.body ?? '')).toMatchObject({ deadline: NOW + 90 })
  })

  test('the time that a person takes in the wallet does not count for the agent', async () => {
    const signer = countingSigner()
    await call({
      signer: {
        address: signer.address,
        async signTypedData(typedData) {
          clock.pass(25_000)
          return await signer.signTypedData(typedData)
        },
      },
    })
    expect(JSON.parse(journal[0]?.body ?? '')).toMatchObject({ deadline: NOW + 45 })
    expect(agent.transfers).toHaveLength(1)
  })

  test('a signature that comes after its own end is never sent', async () => {
    const signer = countingSigner()
    const error = await failureOf(
      call({
        signer: {
          address: signer.address,
          async signTypedData(typedData) {
            clock.pass(51_000)
            return await signer.signTypedData(typedData)
          },
        },
      }),
    )
    expect(error).toMatchObject({ name: 'DeadlineError' })
    expect(attemptOf(error)).toBeUndefined()
    expect(paidRequests()).toHaveLength(0)
  })

  test('an agent in dev mode is not paid, and needs no signer', async () => {
    agent.devMode = true
    const { signer: _, ...unsigned } = options()
    const result = await execute(agent.url, 'count', { text: 'hello' }, unsigned)
    expect(result).toMatchObject({ output: { words: 2 }, payment: undefined })
    expect(journal).toHaveLength(0)
  })

  test('the agent must meet a declaration read before, and /about is not requested', async () => {
    const { declaration } = agent
    agent.lie = (path, reply) => (path === '/about' ? { status: 500, body: '' } : reply)
    const result = await execute({ url: agent.url, declaration }, 'count', { text: 'hello' }, options())
    expect(result.output).toEqual({ words: 2 })
  })

  test('D20 undeclared output fields are removed, and kept in the response as received', async () => {
    agent.output = { words: 2, extra: true }
    const result = await call()
    expect(result).toMatchObject({ output: { words: 2 }, violation: undefined })
    expect(result.raw).toContain('extra')
  })

  test('an output that violates its schema is returned with the violation, because it is paid for', async () => {
    agent.output = { words: 'two' }
    const result = await call()
    expect(result).toMatchObject({ output: { words: 'two' }, violation: { field: 'words' } })
    expect(result.payment?.amountAtomic).toBe(10_000n)
  })

  test('D15 an output of the maximum depth is not lost because of its envelope', async () => {
    agent.output = { words: nested(64) }
    expect((await call()).output).toEqual({ words: nested(64) })
  })

  test.each([
    ['no receipt at all', undefined],
    ['a receipt that is no base64', '%%%'],
    ['a receipt of a failure', encodeHeader({ ...RECEIPT, success: false })],
    ['a receipt of another chain', encodeHeader({ ...RECEIPT, network: 'eip155:1' })],
    ['a receipt without a transaction', encodeHeader({ ...RECEIPT, transaction: '' })],
  ])(
    'D7 a response with %s: the output is returned and the receipt is reported as wrong',
    async (_, receipt) => {
      const headers = receipt === undefined ? {} : { 'payment-response': receipt }
      agent.lie = (path, reply) => (path === '/about' || reply.status !== 200 ? reply : { ...reply, headers })
      const { output, payment } = await call()
      expect(output).toEqual({ words: 2 })
      const receiptProblem: unknown = expect.stringContaining('PAYMENT-RESPONSE')
      expect(payment).toMatchObject({ transaction: undefined, receiptProblem })
    },
  )
})

describe('before anything is signed', () => {
  afterEach(() => {
    expect(signatures).toBe(0)
    expect(journal).toHaveLength(0)
    expect(paidRequests()).toHaveLength(0)
  })

  test('D21 an unknown capability is refused with the agent’s own message, without a request', async () => {
    const error = await failureOf(execute(agent.url, 'toString', {}, options()))
    const message = 'Unknown capability "toString". Available: count'
    expect(error).toMatchObject({ name: 'CapabilityError', message })
    expect(agent.seen).toHaveLength(0)
  })

  test.each([
    ['a jobId that is no UUID v4', { jobId: 'job-1' }],
    ['a maxPrice that is no decimal', { maxPrice: '0,05' }],
    ['a maxPrice of zero', { maxPrice: '0' }],
    ['a deadline of no time', { deadlineSeconds: 0 }],
    ['an endless deadline', { deadlineSeconds: Number.POSITIVE_INFINITY }],
  ])('%s is refused', async (_, changes) => {
    const error = await failureOf(call(changes))
    expect(error.message).toContain(Object.keys(changes)[0])
    expect(agent.seen).toHaveLength(0)
  })

  test('a call without a signer names the price and is refused', async () => {
    const { signer: _, ...unsigned } = options()
    const error = await failureOf(execute(agent.url, 'count', { text: '' }, unsigned))
    expect(error).toMatchObject({ name: 'QuoteRefused', disagreement: 'signer' })
    expect(error.message).toContain('0.01 USDC')
  })

  test('maxPrice is 1 USDC unless the caller says otherwise', async () => {
    const priced = (amount: string): TestAgent['declaration'] => {
      const { count } = agent.declaration.capabilities
      if (count === undefined) throw new Error('the agent counts')
      const pricing = { ...count.pricing, amount }
      return { ...agent.declaration, capabilities: { count: { ...count, pricing } } }
    }
    agent.declaration = priced('1.000001')
    expect(await failureOf(call())).toMatchObject({ disagreement: 'max-price', got: '"1.000001 USDC"' })
    agent.declaration = priced('0.01')
    expect(await failureOf(call({ maxPrice: '0.009999' }))).toMatchObject({ disagreement: 'max-price' })
  })

  test('a typed failure is thrown as the error that the agent threw, without a payment attached', async () => {
    agent.lie = (path, reply) => (path === '/execute' ? failed(408, 'deadline', 'too late') : reply)
    const error = await failureOf(call())
    expect(isServiceError(error)).toBe(true)
    expect(error).toMatchObject({ name: 'DeadlineError', message: 'too late' })
    expect(attemptOf(error)).toBeUndefined()
  })

  test.each<[string, Reply]>([
    ['a redirect', { status: 307, headers: { location: 'https://elsewhere.example/execute' }, body: '' }],
    ['HTML', { status: 200, headers: HTML, body: '<h1>Welcome</h1>' }],
    ['a 402 that does not say how to pay', { status: 402, body: {} }],
    ['a 402 with nothing to accept', { status: 402, body: { x402Version: 1, accepts: [] } }],
    ['a PAYMENT-REQUIRED of garbage', { status: 402, headers: { 'payment-required': 'e30' }, body: {} }],
    ['a 503 of a proxy', { status: 503, headers: HTML, body: 'no backend' }],
    ['another job', { status: 200, body: { status: 'completed', job_id: OTHER_JOB_ID, output: {} } }],
  ])('%s is not an answer of an agent', async (_, reply) => {
    agent.lie = (path, honest) => (path === '/execute' ? reply : honest)
    expect(await failureOf(call())).toMatchObject({ name: 'UnusableAnswer', httpStatus: reply.status })
  })

  test('an agent without a server is unreachable', async () => {
    const { url, declaration } = agent
    await agent.close()
    const error = await failureOf(execute({ url, declaration }, 'count', {}, options()))
    expect(error).toMatchObject({ name: 'AgentUnreachable' })
    agent = await startTestAgent(crypto, clock)
  })

  test('an abort before the signature rejects with its reason', async () => {
    const controller = new AbortController()
    agent.lie = (_, reply) => {
      controller.abort(new Error('changed my mind'))
      return reply
    }
    expect(await failureOf(call({ signal: controller.signal }))).toMatchObject({ message: 'changed my mind' })
  })
})

describe('PAY-38 an offer that lies is refused and nothing is signed', () => {
  test.each([
    ['another scheme', { scheme: 'upto' }, 'scheme'],
    ['an unknown chain', { network: 'eip155:5' }, 'network'],
    ['a chain by its name', { network: 'base-sepolia' }, 'network'],
    ['another token', { asset: STRANGER }, 'asset'],
    ['the USDC of another chain', { asset: '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913' }, 'asset'],
    ['a higher price than /about', { amount: '10001' }, 'price'],
    ['a lower price than /about', { amount: '9999' }, 'price'],
    ['a price as a number', { amount: 10_000 }, 'price'],
    ['a price with a leading zero', { amount: '010000' }, 'price'],
    ['another wallet than /about', { payTo: STRANGER }, 'pay-to'],
    ['no wallet', { payTo: null }, 'pay-to'],
  ])('%s', async (_, change, disagreement) => {
    offer([{ ...GOOD_OFFER, ...change }])
    const error = await failureOf(call())
    expect(error).toBeInstanceOf(QuoteRefused)
    expect(error).toMatchObject({ disagreement })
    expect(signatures).toBe(0)
    expect(paidRequests()).toHaveLength(0)
  })

  test.each([
    ['amount', { maxAmountRequired: '1' }],
    ['payTo', { payTo: STRANGER }],
    ['asset', { asset: STRANGER }],
  ])('a body whose %s is not the header’s', async (_, change) => {
    const { amount, ...rest } = GOOD_OFFER
    offer([GOOD_OFFER], { x402Version: 1, accepts: [{ ...rest, maxAmountRequired: amount, ...change }] })
    expect(await failureOf(call())).toMatchObject({ disagreement: 'body' })
    expect(signatures).toBe(0)
  })

  test('PAY-39 a token domain of the agent’s own is ignored, and ours is signed', async () => {
    offer([{ ...GOOD_OFFER, extra: { name: 'Fake', version: '9' } }])
    expect((await call()).payment?.transaction).toBe(TRANSACTION)
  })

  test('the first valid offer is paid, whatever the others are', async () => {
    offer([{ ...GOOD_OFFER, network: 'eip155:5' }, { ...GOOD_OFFER, payTo: STRANGER }, GOOD_OFFER])
    expect((await call()).payment?.network).toBe('eip155:84532')
  })

  test('the nearest of several invalid offers is named', async () => {
    offer([
      { ...GOOD_OFFER, payTo: STRANGER },
      { ...GOOD_OFFER, scheme: 'upto' },
    ])
    expect(await failureOf(call())).toMatchObject({ disagreement: 'pay-to' })
  })

  test('a network that the caller does not allow is not paid on', async () => {
    expect(await failureOf(call({ networks: ['eip155:8453'] }))).toMatchObject({ disagreement: 'network' })
    expect(signatures).toBe(0)
  })

  test('D2 the body is sufficient when there is no header', async () => {
    agent.lie = (_, reply) => (reply.status === 402 ? { ...reply, headers: {} } : reply)
    expect((await call()).payment?.transaction).toBe(TRANSACTION)
  })

  test('text of an agent does not move the reader’s cursor', async () => {
    offer([{ ...GOOD_OFFER, network: '\u{1b}[2Jeip155:1\u{202e}' }])
    const error = await failureOf(call())
    expect(error.message).not.toMatch(/[\p{Cc}\p{Cf}]/u)
  })
})

describe('the approval', () => {
  test('gets the quote before anything is signed or journalled', async () => {
    const seen: unknown[] = []
    await call({
      approve: async ({ amountAtomic, payTo }) => {
        await Promise.resolve()
        seen.push(amountAtomic, payTo.toLowerCase(), signatures, journal.length)
      },
    })
    expect(seen).toEqual([10_000n, AGENT_WALLET, 0, 0])
    expect(signatures).toBe(1)
  })

  test('that rejects prevents the payment, and the call rejects with the same reason', async () => {
    const error = await failureOf(call({ approve: () => Promise.reject(new Error('over budget')) }))
    expect(error).toMatchObject({ message: 'over budget' })
    expect(attemptOf(error)).toBeUndefined()
    expect(signatures).toBe(0)
  })

  test('during which the call is aborted prevents the signature', async () => {
    const controller = new AbortController()
    const approve = (): void => controller.abort(new Error('enough'))
    expect(await failureOf(call({ approve, signal: controller.signal }))).toMatchObject({ message: 'enough' })
    expect(signatures).toBe(0)
  })
})

describe('the journal', () => {
  test('D38 contains job and signed header before they are first sent', async () => {
    await call({
      journal: async entry => {
        await new Promise(resolve => setImmediate(resolve))
        expect(paidRequests()).toHaveLength(0)
        journal.push(JSON.parse(JSON.stringify(entry)) as JournalEntry)
      },
    })
    expect(journal).toMatchObject([{ agentUrl: agent.url, jobId: JOB_ID, capability: 'count' }])
    expectOnePairOnly()
  })

  test('nothing is sent when the call is aborted while the journal is written', async () => {
    const controller = new AbortController()
    const error = await failureOf(
      call({
        signal: controller.signal,
        journal: () => controller.abort(new Error('enough')),
      }),
    )
    expect(error.message).toBe('enough')
    expect(paidRequests()).toHaveLength(0)
  })

  test('a journal that cannot be written prevents the payment', async () => {
    const error = await failureOf(call({ journal: () => Promise.reject(new Error('disk full')) }))
    expect(error.message).toBe('disk full')
    expect(attemptOf(error)).toBeUndefined()
    expect(paidRequests()).toHaveLength(0)
  })
})

describe('an agent that is being restarted', () => {
  test('is asked again, by /about and by the request without a payment', async () => {
    const restarts: Reply[] = [
      { status: 503, headers: HTML, body: 'no backend' },
      failed(503, 'internal', 'shutting down, not charged'),
    ]
    const left = { '/about': [...restarts], '/execute': [...restarts] }
    agent.lie = (path, honest) => left[path as keyof typeof left]?.pop() ?? honest
    expect((await call()).output).toEqual(agent.output)
    expect([left['/about'], left['/execute'], signatures, agent.transfers.length]).toEqual([[], [], 1, 1])
  })

  test('a connection that fails before the signature is made again', async () => {
    let failures = 2
    const flaky: ExecuteOptions['fetch'] = (url, init) =>
      failures-- > 0 ? Promise.reject(new TypeError('ECONNRESET')) : fetch(url, init)
    expect((await call({ fetch: flaky })).output).toEqual(agent.output)
    expect([signatures, agent.transfers.length]).toEqual([1, 1])
  })

  test('is abandoned when it stays away: 3 s without a response, 10 s with a 503, until the deadline for its job', async () => {
    let seen = 0
    const waited = (): number => {
      const waits = clock.waits.slice(seen)
      seen += waits.length
      return waits.reduce((sum, ms) => sum + ms, 0)
    }
    agent.lie = () => ({ status: 503, headers: HTML, body: 'no backend' })
    expect(await failureOf(call())).toMatchObject({ name: 'UnusableAnswer', httpStatus: 503 })
    expect(waited()).toBeLessThanOrEqual(10_000)
    const { url, declaration } = agent
    const known = execute({ url, declaration }, 'count', {}, options({ deadlineSeconds: 20 }))
    expect(await failureOf(known)).toMatchObject({ name: 'UnusableAnswer', httpStatus: 503 })
    const all = waited()
    expect(all).toBeGreaterThan(10_000)
    expect(all).toBeLessThanOrEqual(20_000)
    const silent: ExecuteOptions['fetch'] = () => Promise.reject(new TypeError('ECONNREFUSED'))
    expect(await failureOf(call({ fetch: silent }))).toMatchObject({ name: 'AgentUnreachable' })
    expect(waited()).toBeLessThanOrEqual(3_000)
    expect(signatures).toBe(0)
  })
})

describe('a lost answer is asked for again with the same pair', () => {
  const badGateway: Fault = (_, response) =>
    write(response, { status: 502, headers: HTML, body: '<h1>Bad gateway</h1>' })

  test.each<[string, Fault]>([
    ['a reset before the work', (_, response) => void response.destroy()],
    ['a reset after the work', workThenReset],
    ['a 502 before the work', badGateway],
    [
      'a 500 that says when to come back',
      (_, response) =>
        write(response, { ...failed(500, 'internal', 'no verdict now'), headers: { 'retry-after': '2' } }),
    ],
    [
      'a 502 after the work',
      (work, response) => {
        work()
        badGateway(work, response)
      },
    ],
    [
      'a settlement, then silence',
      work => {
        work()
        clock.pass(60_000)
      },
    ],
    [
      'an answer that breaks off',
      (work, response) => {
        work()
        response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' })
        response.write('{"status":', () => response.destroy())
      },
    ],
    [
      'an answer that drips',
      (work, response) => {
        work()
        response.writeHead(200, { 'content-type': 'application/json' })
        response.write('{"status":', () => clock.pass(60_000))
      },
    ],
    [
      'an agent that shuts down',
      (_, response) => {
        const answer = failed(503, 'internal', 'shutting down, not charged')
        write(response, { ...answer, headers: { 'retry-after': '1' } })
      },
    ],
    [
      'HTML in the place of the answer',
      (work, response) => {
        work()
        write(response, { status: 200, headers: HTML, body: '<h1>Log in</h1>' })
      },
    ],
    [
      'the answer of another job',
      (work, response) => {
        const { body, ...reply } = work()
        write(response, { ...reply, body: { ...(body as object), job_id: OTHER_JOB_ID } })
      },
    ],
  ])('after %s', async (_, fault) => {
    agent.faults.push(fault)
    const result = await call()
    expect(result).toMatchObject({ output: { words: 2 }, payment: { transaction: TRANSACTION } })
    expectOnePairOnly()
    expect(paidRequests()).toHaveLength(2)
    expect(agent.transfers).toHaveLength(1)
    expect(agent.runs).toHaveLength(1)
  })

  test('D8 a pending payment is requested again after as long as the agent says', async () => {
    agent.faults.push(
      (work, response) => {
        work()
        write(response, pending(JOB_ID, { 'retry-after': '3' }))
      },
      (_, response) => {
        const date = new Date(clock.nowMs() + 5_000).toUTCString()
        write(response, pending(JOB_ID, { 'retry-after': date }))
      },
      (_, response) => write(response, pending(JOB_ID, { 'retry-after': '0' })),
      (_, response) => write(response, pending(JOB_ID, { 'retry-after': 'soon' })),
    )
    const result = await call()
    expect(result.output).toEqual({ words: 2 })
    expect(clock.waits).toEqual([3_000, 5_000, 500, 4_000])
    expectOnePairOnly()
    expect(agent.transfers).toHaveLength(1)
  })

  test('pauses grow from attempt to attempt', async () => {
    agent.faults.push(...Array.from({ length: 6 }, () => badGateway))
    await call({ deadlineSeconds: 60 })
    expect(clock.waits).toEqual([500, 1_000, 2_000, 4_000, 8_000, 8_000])
    expectOnePairOnly()
  })

  test('repeats end with the payment’s validity, and the job is unresolved', async () => {
    agent.faults.push(...Array.from({ length: 100 }, () => workThenReset))
    const error = await failureOf(call())
    expect(error).toBeInstanceOf(PaymentUnresolved)
    expectOnePairOnly()
    expect(agent.transfers).toHaveLength(1)
    const attempt = attemptOf(error)
    expect(attempt?.entry).toEqual(journal[0])
    expect(attempt?.chargeableUntil).toBe(NOW + 60 + 120)
    expect(attempt?.unanswered).toBe(paidRequests().length)
    expect(clock.nowMs() / 1_000).toBeGreaterThanOrEqual(NOW + 60 + 120)
    agent.faults.length = 0
  })
})

describe('a response that is not the agent’s', () => {
  test.each<[string, Fault]>([
    ['a redirect', (_, response) => write(response, { status: 307, headers: { location: '/' }, body: '' })],
    ['a firewall’s 403', (_, response) => write(response, { status: 403, headers: HTML, body: 'no' })],
    ['another request to pay', (_, response) => write(response, { status: 402, body: { accepts: [{}] } })],
    [
      'a giant',
      (_, response) => {
        response.writeHead(200, { 'content-type': 'application/json' })
        response.write('"')
        const more = (): void => {
          while (!response.destroyed && response.write('x'.repeat(65_536)));
          if (!response.destroyed) response.once('drain', more)
        }
        more()
      },
    ],
    [
      'a giant that says so',
      (_, response) => {
        response.writeHead(200, { 'content-type': 'application/json', 'content-length': String(2 ** 40) })
        response.write('"')
      },
    ],
    [
      'an output of brackets',
      (work, response) => {
        const { body, ...reply } = work()
        write(response, { ...reply, body: { ...(body as object), output: { words: nested(300) } } })
      },
    ],
    [
      'an output that is none',
      (work, response) => {
        const { body, ...reply } = work()
        write(response, { ...reply, body: { ...(body as object), output: [] } })
      },
    ],
  ])('%s is requested a few times, then the payment is unresolved', async (_, fault) => {
    agent.faults.push(fault, fault, fault, fault)
    const error = await failureOf(call())
    expect(error).toBeInstanceOf(PaymentUnresolved)
    expect(paidRequests()).toHaveLength(4)
    expectOnePairOnly()
  })

  test('the payment header is never sent to the target of a redirect', async () => {
    const elsewhere = await startTestAgent(crypto, clock)
    const headers = { location: elsewhere.endpoint }
    const redirect: Fault = (_, response) => write(response, { status: 307, headers, body: '' })
    agent.faults.push(redirect, redirect, redirect, redirect)
    await failureOf(call())
    expect(elsewhere.seen).toHaveLength(0)
    await elsewhere.close()
  })
})

describe('a typed failure after the payment was sent', () => {
  test.each([
    [400, 'validation', 'ValidationError'],
    [400, 'capability', 'CapabilityError'],
    [401, 'payment', 'PaymentError'],
    [402, 'payment', 'PaymentError'],
    [408, 'deadline', 'DeadlineError'],
    [500, 'internal', 'InternalError'],
  ] as const)('%i %s is thrown as %s, with what was sent', async (status, type, name) => {
    agent.faults.push((_, response) => write(response, failed(status, type, 'text: is required')))
    const error = await failureOf(call())
    expect(isServiceError(error)).toBe(true)
    expect(error).toMatchObject({ name, message: 'text: is required' })
    expect(attemptOf(error)).toMatchObject({ entry: journal[0], chargeableUntil: NOW + 180, unanswered: 0 })
    expect(paidRequests()).toHaveLength(1)
    expectOnePairOnly()
  })

  test('a definite refusal after a lost response is reported as uncertain, and nothing is signed again', async () => {
    const double402: Fault = (_, response) => write(response, failed(402, 'payment', 'nonce already used'))
    agent.faults.push(workThenReset, double402)
    const error = await failureOf(call())
    expect(error).toMatchObject({ name: 'PaymentError' })
    expect(attemptOf(error)).toMatchObject({ unanswered: 1 })
    expectOnePairOnly()
    expect(agent.transfers).toHaveLength(1)
  })

  test('D7 the settlement in a failed response is kept', async () => {
    const receipt = { ...RECEIPT, success: false, transaction: '', errorReason: 'insufficient_funds' }
    agent.faults.push((_, response) =>
      write(response, {
        ...failed(402, 'payment', 'settlement failed'),
        headers: { 'payment-response': encodeHeader(receipt) },
      }),
    )
    expect(attemptOf(await failureOf(call()))?.settlement).toEqual(receipt)
  })

  test('a type that does not match its status is not a typed failure', async () => {
    agent.faults.push((work, response) => {
      work()
      write(response, failed(500, 'payment', 'made up'))
    })
    expect((await call()).output).toEqual({ words: 2 })
    expectOnePairOnly()
  })
})

describe('an abort after the payment was sent', () => {
  test('an abort while the agent works leaves the payment unresolved, with the reason', async () => {
    const controller = new AbortController()
    agent.faults.push(work => {
      work()
      controller.abort(new Error('the window was closed'))
    })
    const error = await failureOf(call({ signal: controller.signal }))
    expect(error).toBeInstanceOf(PaymentUnresolved)
    expect(error.cause).toMatchObject({ message: 'the window was closed' })
    expect(attemptOf(error)?.entry).toEqual(journal[0])
    expectOnePairOnly()
  })

  test('an abort between two attempts counts too', async () => {
    const controller = new AbortController()
    agent.faults.push((_, response) => {
      write(response, pending(JOB_ID, { 'retry-after': '30' }))
      response.once('finish', () => setImmediate(() => controller.abort()))
    })
    const error = await failureOf(call({ signal: controller.signal }))
    expect(error).toBeInstanceOf(PaymentUnresolved)
    expect(paidRequests()).toHaveLength(1)
  })
})

test('a printed error never shows the payment header', async () => {
  agent.faults.push((_, response) => write(response, failed(500, 'internal', 'Internal error')))
  const refused = await failureOf(call())
  const controller = new AbortController()
  agent.faults.push(() => controller.abort())
  const unresolved = await failureOf(call({ signal: controller.signal }))
  for (const error of [refused, unresolved]) {
    const entry = attemptOf(error)?.entry
    expect(entry?.header.length).toBeGreaterThan(100)
    expect(inspect(error, { depth: 10 }) + JSON.stringify(error)).not.toContain(entry?.header)
  }
})
