import type { PaidAttempt } from '@farebox/client/attempt/paid-attempt'
import { PaymentUnresolved } from '@farebox/client/attempt/payment-unresolved'
import type { Authorization } from '@farebox/payments/authorization/eip-3009'
import {
  AUTHORIZATION_CANCELED_TOPIC,
  AUTHORIZATION_USED_TOPIC,
  TRANSFER_TOPIC,
} from '@farebox/payments/chain/chain-proof'
import { findNetwork } from '@farebox/payments/networks'
import {
  DeadlineError,
  InternalError,
  PaymentError,
  ValidationError,
} from '@farebox/protocol/errors/service-errors'
import { describe, expect, test } from 'vitest'
import type { OpenChain } from '../../chain/open-chain.ts'
import { explainPaid, type PaidFailure } from './explain-paid.ts'

const NOW = 1_800_000_000
const TRANSACTION = `0x${'5e'.repeat(32)}`
const network = known('eip155:84532')
const AUTHORIZATION: Authorization = {
  from: '0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc',
  to: '0x15d34aaf54267db7d7c367839aaf71a00a2c6a65',
  value: '2000',
  validAfter: '0',
  validBefore: String(NOW + 60),
  nonce: `0x${'ab'.repeat(32)}`,
}
const ATTEMPT: PaidAttempt = {
  entry: {
    agentUrl: 'https://agent.example',
    jobId: '3f8a2c1e-9b4d-4f6a-8c2b-1d5e7f9a0b3c',
    capability: 'count',
    body: '{}',
    header: 'the-cheque',
  },
  network,
  authorization: AUTHORIZATION,
  chargeableUntil: NOW + 180,
  unanswered: 0,
  settlement: undefined,
}
const UNRESOLVED = new PaymentUnresolved(ATTEMPT, 'the agent gave no answer in time: HTTP 502')

function known(id: string): OpenChain['network'] {
  const found = findNetwork(id)
  if (found === undefined) throw new Error(`no network ${id}`)
  return found
}

/** A node's report of the authorization; its head is at the given second. */
function chain(
  use: 'unused' | 'settled' | 'cancelled' | 'silent',
  headSeconds = NOW,
  spentSeconds = headSeconds - 600,
): OpenChain {
  const word = (hex: string): string => `0x${hex.slice(2).padStart(64, '0')}`
  const used = {
    address: network.asset.address,
    topics: [AUTHORIZATION_USED_TOPIC, word(AUTHORIZATION.from), AUTHORIZATION.nonce],
    data: '0x',
  }
  const cancelled = { ...used, topics: [AUTHORIZATION_CANCELED_TOPIC, ...used.topics.slice(1)] }
  const transfer = {
    address: network.asset.address,
    topics: [TRANSFER_TOPIC, word(AUTHORIZATION.from), word(AUTHORIZATION.to)],
    data: word('0x7d0'),
  }
  const found = use === 'cancelled' ? [cancelled] : [used, transfer]
  const answers: { readonly [method: string]: unknown } = {
    eth_getBlockByNumber: { number: '0x7', timestamp: `0x${headSeconds.toString(16)}` },
    eth_call: word(use === 'unused' ? '0x0' : '0x1'),
    eth_getLogs: [{ ...found[0], transactionHash: TRANSACTION }],
    eth_getTransactionReceipt: {
      transactionHash: TRANSACTION,
      status: '0x1',
      blockNumber: '0x7',
      blockHash: word('0x1'),
      logs: found,
    },
  }
  const rpc = {
    call: (method: string, [block]: readonly unknown[]) => {
      if (use === 'silent') return Promise.reject(new Error('no answer'))
      if (method !== 'eth_getBlockByNumber' || block === 'latest') return Promise.resolve(answers[method])
      return Promise.resolve({ number: '0x7', timestamp: `0x${spentSeconds.toString(16)}` })
    },
    close: () => Promise.resolve(),
  }
  return { rpc, network, url: 'http://127.0.0.1:8545', isLocal: true, close: () => Promise.resolve() }
}

async function explain(failure: Partial<PaidFailure>): Promise<{
  readonly charged: string
  readonly exitCode: number
  readonly message: string
  readonly next: string
  readonly until: number | undefined
}> {
  const explained = await explainPaid({
    error: new InternalError('Internal error'),
    attempt: ATTEMPT,
    resumed: false,
    stopped: false,
    chain: undefined,
    nowSeconds: NOW,
    ...failure,
  })
  const { charged, chargeable_until: until } = explained.document
  expect(JSON.stringify(explained.document) + explained.message + explained.next).not.toContain('the-cheque')
  return { charged, exitCode: explained.exitCode, message: explained.message, next: explained.next, until }
}

describe('without a node, only the agent’s report is known', () => {
  test.each([
    ['a typed failure', new InternalError('Internal error'), false, 0],
    ['a refused payment, seen once', new PaymentError('insufficient funds'), false, 0],
  ])(
    '%s is not charged, and the time until which a dishonest agent could charge is reported',
    async (_, error, resumed, unanswered) => {
      const explained = await explain({ error, resumed, attempt: { ...ATTEMPT, unanswered } })
      expect(explained).toMatchObject({ charged: 'no', exitCode: 1, until: NOW + 180 })
      expect(explained.next).toContain('not charged, says the agent')
    },
  )

  test.each([
    ['a refused payment after an unanswered one', new PaymentError('expired'), false, 1],
    ['a refused payment of a resumed call', new PaymentError('expired'), true, 0],
    ['a typed failure after an unanswered one', new InternalError('Internal error'), false, 1],
    ['a typed failure of a resumed call', new ValidationError('text: is required'), true, 0],
    ['a passed deadline of a resumed call', new DeadlineError('deadline has passed'), true, 2],
    ['no answer', UNRESOLVED, false, 3],
  ])(
    '%s may be charged: the agent deletes its answers after a while (D24)',
    async (_, error, resumed, unanswered) => {
      const explained = await explain({ error, resumed, attempt: { ...ATTEMPT, unanswered } })
      expect(explained).toMatchObject({ charged: 'unknown', exitCode: 3, until: NOW + 180 })
      expect(explained.next).toContain(`farebox call --resume ${ATTEMPT.entry.jobId}`)
    },
  )

  test('long afterwards, the message refers to the chain', async () => {
    const explained = await explain({
      error: new PaymentError('expired'),
      resumed: true,
      nowSeconds: NOW + 10_000,
    })
    expect(explained).toMatchObject({ charged: 'unknown', exitCode: 3, until: undefined })
    expect(explained.next).toContain('--rpc-url <a node of eip155:84532>')
  })
})

describe('with a node, the chain decides', () => {
  test('a charge is reported, whatever the agent says', async () => {
    const explained = await explain({ chain: chain('settled') })
    expect(explained).toMatchObject({ charged: 'yes', exitCode: 1 })
    expect(explained.message).toBe(`internal: Internal error; but 0.002 USDC was charged, in ${TRANSACTION}`)
  })

  test('a charge without a response yet can be resumed', async () => {
    const explained = await explain({ error: UNRESOLVED, chain: chain('settled') })
    expect(explained).toMatchObject({ charged: 'yes', exitCode: 3 })
    expect(explained.next).toContain('--resume')
  })

  test('an unused payment is not charged when the agent confirms that', async () => {
    expect(await explain({ chain: chain('unused') })).toMatchObject({
      charged: 'no',
      exitCode: 1,
      until: NOW + 180,
    })
    expect(await explain({ error: UNRESOLVED, chain: chain('unused') })).toMatchObject({
      charged: 'unknown',
      exitCode: 3,
    })
  })

  test('D8 a typed failure of a resumed call settles nothing while the payment is valid, because a settlement may be pending', async () => {
    const failure = { error: new ValidationError('text: is required'), resumed: true }
    expect(await explain({ ...failure, chain: chain('unused') })).toMatchObject({
      charged: 'unknown',
      exitCode: 3,
    })
    expect(await explain({ ...failure, chain: chain('settled') })).toMatchObject({ charged: 'yes' })
    const explained = await explain({ ...failure, chain: chain('silent') })
    expect(explained).toMatchObject({ charged: 'unknown', exitCode: 3 })
    expect(explained.next).toContain('the agent’s answer does not settle it')
  })

  test('an unused payment is void when it has expired by both clocks', async () => {
    const late = { error: UNRESOLVED, nowSeconds: NOW + 181 }
    expect(await explain({ ...late, chain: chain('unused', NOW + 181) })).toMatchObject({
      charged: 'no',
      exitCode: 1,
      until: undefined,
    })
    expect(await explain({ ...late, chain: chain('unused', NOW + 100) })).toMatchObject({
      charged: 'unknown',
      exitCode: 3,
    })
  })

  test('a cancelled payment is void', async () => {
    expect(await explain({ error: UNRESOLVED, chain: chain('cancelled') })).toMatchObject({
      charged: 'no',
      exitCode: 1,
    })
  })

  test('a recently cancelled payment may still be charged, because a new block can be replaced', async () => {
    expect(await explain({ error: UNRESOLVED, chain: chain('cancelled', NOW, NOW - 10) })).toMatchObject({
      charged: 'unknown',
      exitCode: 3,
    })
  })

  test('only the agent’s report is known when the node does not respond', async () => {
    expect(await explain({ chain: chain('silent') })).toMatchObject({
      charged: 'no',
      next: expect.stringContaining('says the agent'),
    })
  })
})
