import { AUTHORIZATION_USED_TOPIC, TRANSFER_TOPIC } from '@farebox/payments/chain/chain-proof'
import type { JsonRpc } from '@farebox/payments/chain/json-rpc'
import { addressTopic, quantity, word } from '@farebox/payments/src/chain/rpc-words'
import { decodePaymentHeader, encodeHeader } from '@farebox/payments/x402/payment-header'
import {
  createRequirement,
  paymentRequiredBody,
  paymentRequiredHeader,
} from '@farebox/payments/x402/requirement'
import { TEST_KEYS } from '@farebox/local/chain/test-keys'
import type { Outbound } from '@farebox/platform/outbound/outbound'
import type { Declaration } from '@farebox/protocol/declaration/declaration'
import { NETWORK } from '../stage/sign-jobs.ts'

/** The price of every step of the flow: 0.002 USDC. */
export const PRICE_ATOMIC = 2_000n
export const ENDPOINT = 'https://agent.example'

/** The only agent, from which all steps order. */
export const DECLARATION: Declaration = {
  service_version: '1.0',
  name: 'Shout',
  description: 'Writes in capitals',
  wallet: TEST_KEYS.agent.address.toLowerCase(),
  max_deadline_seconds: 30,
  capabilities: {
    shout: {
      description: 'Writes in capitals',
      pricing: { model: 'per_job', amount: '0.002', currency: 'USDC' },
      input_schema: { text: { type: 'string', required: true, maxLength: 1_000 } },
      output_schema: { text: { type: 'string' } },
    },
  },
}

/** An answer of the agent. */
interface StubAnswer {
  readonly status: number
  readonly headers: { readonly [name: string]: string }
  readonly body: string
}

const REQUIREMENT = createRequirement({
  network: NETWORK,
  payTo: DECLARATION.wallet,
  amountAtomic: PRICE_ATOMIC,
  maxDeadlineSeconds: DECLARATION.max_deadline_seconds,
})

/** The agent's demand: always the same. */
const PRICE_ANSWER: StubAnswer = {
  status: 402,
  headers: {
    'content-type': 'application/json',
    'payment-required': paymentRequiredHeader(REQUIREMENT, {
      url: `${ENDPOINT}/execute`,
      capability: 'shout',
      description: '',
    }),
  },
  body: JSON.stringify(paymentRequiredBody(REQUIREMENT, { agent: 'Shout', capability: 'shout' })),
}

/**
 * Answers a paid job at once. The transaction that pays for it is named after the nonce, so that any process knows it.
 */
function answerPaid(request: string, header: string): StubAnswer {
  const { job_id: jobId, task } = JSON.parse(request) as {
    readonly job_id: string
    readonly task: { readonly input: { readonly text: string } }
  }
  const decoded = decodePaymentHeader(header)
  if (!decoded.ok) throw new Error(decoded.reason)
  const { nonce } = decoded.payment.authorization
  const receipt = { success: true, transaction: nonce, network: NETWORK.id }
  const output = { text: task.input.text.toUpperCase() }
  const completed = { service_version: '1.0', job_id: jobId, status: 'completed', output }
  return {
    status: 200,
    headers: { 'content-type': 'application/json', 'payment-response': encodeHeader(receipt) },
    body: JSON.stringify({ ...completed, completed_at: Math.floor(Date.now() / 1_000) }),
  }
}

/** A node whose chain gives everyone money, and in which every transaction is a payment for one step of the flow. */
export const stubRpc: JsonRpc = {
  async call(method, [first]) {
    switch (method) {
      case 'eth_chainId':
        return quantity(BigInt(NETWORK.chainId))
      case 'eth_call': {
        const { data = '' } = first as { readonly data?: string }
        // balanceOf; otherwise whether an authorization was used.
        return `0x${word(data.startsWith('0x70a08231') ? quantity(10n ** 12n) : '0x0')}`
      }
      case 'eth_getBalance':
        return '0x0'
      case 'eth_blockNumber':
        return '0x10'
      case 'eth_getBlockByNumber':
        return { number: '0x10', timestamp: quantity(BigInt(Math.floor(Date.now() / 1_000))) }
      case 'eth_getTransactionReceipt':
        return receiptFor(String(first))
      default:
        throw new Error(`${method}: the stub of a node does not know it`)
    }
  },
  close: () => Promise.resolve(),
}

/** Calls of the platform that reach the stub without a network. */
export const stubOutbound: Outbound = {
  judge: url => ({ ok: true, url }),
  close: () => Promise.resolve(),
  async send({ headers = {}, body = '' }) {
    const header = headers['payment-signature']
    const answer = header === undefined ? PRICE_ANSWER : answerPaid(body, header)
    return { kind: 'answered', elapsedMs: 1, ...answer }
  },
}

function receiptFor(transactionHash: string): object {
  const payer = addressTopic(TEST_KEYS.payer.address.toLowerCase())
  const payee = addressTopic(DECLARATION.wallet)
  const { address } = NETWORK.asset
  return {
    transactionHash,
    status: '0x1',
    blockNumber: '0x10',
    blockHash: `0x${'10'.repeat(32)}`,
    logs: [
      { address, topics: [AUTHORIZATION_USED_TOPIC, payer, transactionHash], data: '0x' },
      { address, topics: [TRANSFER_TOPIC, payer, payee], data: `0x${word(quantity(PRICE_ATOMIC))}` },
    ],
  }
}
