import { randomUUID } from 'node:crypto'
import { TEST_KEYS } from '@farebox/local/chain/test-keys'
import { loadEvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import { findNetwork } from '@farebox/payments/networks'
import { createRequirement } from '@farebox/payments/x402/requirement'
import { privateKeySigner, signPayment } from '@farebox/payments/x402/sign-payment'
import type { Declaration } from '@farebox/protocol/declaration/declaration'
import { systemClock, type Clock } from '@farebox/protocol/time/clock'
import { createAgent, type Agent } from '../../agent/create-agent.ts'
import { defineAgent } from '../../define-agent.ts'
import type { Variables } from '../../environment/read-environment.ts'
import type { JobContext } from '../../handlers.ts'
import type { OpenJobStore } from '../../jobs/job-store.ts'
import { createMemoryStore } from '../../jobs/memory-store.ts'
import { createLog } from '../../log.ts'
import { createFakeGate, type FakeGate } from '../../testing/fake-gate.ts'
import { NETWORK_ID } from './hired-agent.ts'

/** The accounts that pay the hiring agent in tests. */
const PAYERS = ['payer', 'secondPayer', 'thirdAgent', 'fourthAgent'] as const

export const WALLET = '0x00000000000000000000000000000000000fa4e0'

const FIELDS = {
  input_schema: { text: { type: 'string', default: 'hello' }, url: { type: 'string', default: '' } },
  output_schema: { text: { type: 'string' } },
} as const

const WHOLE_ATOMIC = 10_000n
const SMALL_ATOMIC = 100n

/** A job costs 0.01 USDC, so that 0.009 USDC of it may be spent on hires. */
const declaration = defineAgent({
  service_version: '1.0',
  name: 'Hirer',
  description: 'Has others do its jobs.',
  wallet: '${AGENT_WALLET_ADDRESS}',
  max_deadline_seconds: 300,
  capabilities: {
    whole: {
      description: 'A whole job.',
      pricing: { model: 'per_job', amount: '0.01', currency: 'USDC' },
      ...FIELDS,
    },
  },
})

/** The same declaration, with the capabilities as a general map. */
const ONE: Declaration = declaration

const SMALL: Declaration['capabilities'][string] = {
  description: 'A small job.',
  pricing: { model: 'per_job', amount: '0.0001', currency: 'USDC' },
  ...FIELDS,
}

/** The function that a test's handler runs; its result becomes the output's `text`. */
export type Work = (context: JobContext, text: string) => string | Promise<string>

/** A job as a test requests it. */
export interface AskedJob {
  readonly jobId?: string
  readonly text?: string
  readonly url?: string
  /** Seconds from now. */
  readonly deadlineSeconds?: number
  readonly headers?: { readonly [name: string]: string }
  /** One of {@link TEST_KEYS}; default `payer`. */
  readonly payer?: (typeof PAYERS)[number]
  /** `small` only when the agent has that capability. */
  readonly capability?: 'whole' | 'small'
}

/** The response to a job. */
export interface EndedJob {
  readonly status: number
  readonly text: string
  readonly error: string
}

/** A paid agent that hires others, called without a socket. */
export interface HiringAgent {
  readonly agent: Agent
  readonly gate: FakeGate
  run(job?: AskedJob): Promise<EndedJob>
  logs(): string
}

/** The default variables of the agent; a test may override them. */
export const HIRING_VARIABLES: Variables = {
  SERVICE_DEV_MODE: 'false',
  AGENT_WALLET_ADDRESS: WALLET,
  SERVICE_NETWORK: NETWORK_ID,
  HIRING_PRIVATE_KEY: TEST_KEYS.agent.privateKey,
}

export const HIRING_ADDRESS = TEST_KEYS.agent.address

/** A job store in memory, as `createAgent` accepts it. */
export function memoryJobStore(clock: Clock = systemClock): OpenJobStore {
  const store = createMemoryStore(clock)
  return { store, accounts: store, name: 'memory:', shared: true, close: () => Promise.resolve() }
}

/** Makes an agent whose handler calls `work`, or loads the module at a URL in separate processes. */
export async function createHiringAgent(options: {
  readonly variables?: Variables
  readonly work: Work | URL
  /** The handler of a second capability, at a hundredth of the price. */
  readonly small?: Work
  /** A store that an earlier agent used; the test closes it. */
  readonly jobStore?: OpenJobStore
}): Promise<HiringAgent> {
  const crypto = await loadEvmCrypto()
  const gate = createFakeGate({ funded: PAYERS.map(payer => TEST_KEYS[payer].address) })
  const lines: string[] = []
  const log = createLog({ format: 'text', write: text => void lines.push(text), nowMs: systemClock.nowMs })
  const { work, small, jobStore = memoryJobStore() } = options
  const variables = { ...HIRING_VARIABLES, ...options.variables }
  const endpoint = `${variables['SERVICE_PUBLIC_URL'] ?? 'http://agent.test'}/execute`
  const agent = await createAgent({
    declaration: small === undefined ? ONE : { ...ONE, capabilities: { ...ONE.capabilities, small: SMALL } },
    ...(work instanceof URL
      ? { handlers: work, isolation: 'worker' as const }
      : {
          handlers:
            small === undefined ? handlerOf(work) : { whole: handlerOf(work), small: handlerOf(small) },
        }),
    variables,
    ports: { log, paymentGate: gate, jobStore: { ...jobStore, close: () => Promise.resolve() } },
  })
  return {
    agent,
    gate,
    async run(job = {}) {
      const { jobId = randomUUID(), text, url, deadlineSeconds = 280, headers = {} } = job
      const { payer = 'payer', capability = 'whole' } = job
      const network = findNetwork(NETWORK_ID)
      if (network === undefined) throw new Error(`${NETWORK_ID} is not in the table`)
      const nowSeconds = Date.now() / 1_000
      const requirement = createRequirement({
        network,
        payTo: WALLET,
        amountAtomic: capability === 'whole' ? WHOLE_ATOMIC : SMALL_ATOMIC,
        maxDeadlineSeconds: declaration.max_deadline_seconds,
      })
      const signer = privateKeySigner(crypto, TEST_KEYS[payer].privateKey)
      const binding = { endpoint, capability, jobId }
      const { header } = await signPayment(crypto, signer, { network, requirement, binding, nowSeconds })
      const response = await agent.fetch(
        new Request(endpoint, {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'payment-signature': header, ...headers },
          body: JSON.stringify({
            service_version: '1.0',
            job_id: jobId,
            task: {
              capability,
              input: { ...(text !== undefined && { text }), ...(url !== undefined && { url }) },
            },
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

function handlerOf(work: Work) {
  return async ({ text }: { readonly text?: string }, context: JobContext) => ({
    text: await work(context, text ?? ''),
  })
}
