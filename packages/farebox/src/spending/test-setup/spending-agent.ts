import { randomUUID } from 'node:crypto'
import { TEST_KEYS } from '@farebox/local/chain/test-keys'
import { loadEvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import { findNetwork } from '@farebox/payments/networks'
import { createRequirement } from '@farebox/payments/x402/requirement'
import { privateKeySigner, signPayment } from '@farebox/payments/x402/sign-payment'
import { systemClock, type Clock } from '@farebox/protocol/time/clock'
import { createAgent, type Agent } from '../../agent/create-agent.ts'
import { defineAgent } from '../../define-agent.ts'
import type { Variables } from '../../environment/read-environment.ts'
import type { JobContext } from '../../handlers.ts'
import type { JobStore } from '../../jobs/job-store.ts'
import { createMemoryStore } from '../../jobs/memory-store.ts'
import { createLog } from '../../log.ts'
import { createFakeGate, type FakeGate } from '../../testing/fake-gate.ts'

const WALLET = '0x00000000000000000000000000000000000fa4e0'
const ENDPOINT = 'http://agent.test/execute'
const NETWORK_ID = 'eip155:84532'

/** One capability that declares spends of up to 2 USDC, and one that declares none. */
const spendingDeclaration = defineAgent({
  service_version: '1.0',
  name: 'Buyer',
  description: 'Buys what it is asked for.',
  wallet: '${AGENT_WALLET_ADDRESS}',
  max_deadline_seconds: 300,
  capabilities: {
    buy: {
      description: 'Buys.',
      pricing: { model: 'per_job', amount: '0.01', currency: 'USDC' },
      input_schema: { amount: { type: 'string', default: '0.25' } },
      output_schema: { text: { type: 'string' } },
      permissions: [
        {
          type: 'EXECUTE_TRANSACTIONS',
          reason: 'Pays the shop',
          token: 'USDC',
          max_per_transaction: '2',
        },
      ],
    },
    look: {
      description: 'Only looks.',
      pricing: { model: 'per_job', amount: '0.01', currency: 'USDC' },
      input_schema: {},
      output_schema: { text: { type: 'string' } },
    },
  },
})

/** The work of a test's handler; its result is the output's `text`. */
export type Work = (context: JobContext, amount: string) => string | Promise<string>

/** A job as a test requests it. */
export interface AskedJob {
  readonly jobId?: string
  readonly capability?: 'buy' | 'look'
  readonly amount?: string
  /** Seconds from now. */
  readonly deadlineSeconds?: number
}

/** The response to a job. */
export interface EndedJob {
  readonly status: number
  readonly text: string
  readonly error: string
}

/** A paid agent that spends on a real chain, called without a socket. */
export interface SpendingAgent {
  readonly agent: Agent
  readonly gate: FakeGate
  run(job?: AskedJob): Promise<EndedJob>
  logs(): string
}

/** The default variables of the agent; a test may override them. */
export function spendingVariables(rpcUrl: string): Variables {
  return {
    SERVICE_DEV_MODE: 'false',
    AGENT_WALLET_ADDRESS: WALLET,
    SERVICE_NETWORK: NETWORK_ID,
    SERVICE_RPC_URL: rpcUrl,
    SPENDER_PRIVATE_KEY: TEST_KEYS.agent.privateKey,
    AGENT_ID: '7',
  }
}

/** Makes an agent whose handlers call `work`, or load the module at a URL in separate processes. */
export async function createSpendingAgent(options: {
  readonly variables: Variables
  readonly work: Work | URL
  /** A store that an earlier agent used. */
  readonly store?: JobStore
  /** Whether the agent opens the store of SERVICE_STORE, which it may share with other agents. */
  readonly opensStore?: boolean
  /** Default: the machine's clock. */
  readonly clock?: Clock
}): Promise<SpendingAgent> {
  const crypto = await loadEvmCrypto()
  const payer = privateKeySigner(crypto, TEST_KEYS.payer.privateKey)
  const gate = createFakeGate({ funded: [payer.address] })
  const lines: string[] = []
  const log = createLog({ format: 'text', write: text => void lines.push(text), nowMs: systemClock.nowMs })
  const { work, clock = systemClock } = options
  const handler = async (input: { readonly amount?: string }, context: JobContext) => ({
    text: work instanceof URL ? '' : await work(context, input.amount ?? ''),
  })
  const agent = await createAgent({
    declaration: spendingDeclaration,
    ...(work instanceof URL
      ? { handlers: work, isolation: 'worker' as const }
      : { handlers: { buy: handler, look: handler } }),
    variables: options.variables,
    ports: {
      log,
      clock,
      paymentGate: gate,
      ...(options.opensStore !== true && {
        jobStore: {
          store: options.store ?? createMemoryStore(clock),
          name: 'memory:',
          shared: true,
          close: () => Promise.resolve(),
        },
      }),
    },
  })
  return {
    agent,
    gate,
    async run({ jobId = randomUUID(), capability = 'buy', amount, deadlineSeconds = 280 } = {}) {
      const network = findNetwork(NETWORK_ID)
      if (network === undefined) throw new Error(`${NETWORK_ID} is not in the table`)
      const nowSeconds = clock.nowMs() / 1_000
      const requirement = createRequirement({
        network,
        payTo: WALLET,
        amountAtomic: 10_000n,
        maxDeadlineSeconds: spendingDeclaration.max_deadline_seconds,
      })
      const binding = { endpoint: ENDPOINT, capability, jobId }
      const { header } = await signPayment(crypto, payer, { network, requirement, binding, nowSeconds })
      const response = await agent.fetch(
        new Request(ENDPOINT, {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'payment-signature': header },
          body: JSON.stringify({
            service_version: '1.0',
            job_id: jobId,
            task: { capability, input: amount === undefined ? {} : { amount } },
            deadline: nowSeconds + deadlineSeconds,
          }),
        }),
      )
      const { output, error } = (await response.json()) as {
        readonly output?: { readonly text: string }
        readonly error?: string
      }
      return { status: response.status, text: output?.text ?? '', error: error ?? '' }
    },
    logs() {
      log.flush()
      return lines.join('')
    },
  }
}
