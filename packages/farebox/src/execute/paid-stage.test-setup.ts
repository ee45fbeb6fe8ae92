import { randomBytes, randomUUID } from 'node:crypto'
import { toHex } from '@farebox/payments/bytes'
import { loadEvmCrypto, type EvmCrypto } from '@farebox/payments/evm-crypto'
import type { SettleOutcome, VerifyOutcome } from '@farebox/payments/facilitator-client'
import { findNetwork } from '@farebox/payments/networks'
import { encodeHeader } from '@farebox/payments/payment-header'
import { createRequirement } from '@farebox/payments/requirement'
import {
  authorizationTypedData,
  privateKeySigner,
  signPayment,
  type PaymentSigner,
} from '@farebox/payments/sign-payment'
import type { Declaration } from '@farebox/protocol/declaration/declaration'
import type { JsonObject } from '@farebox/protocol/fields/field'
import type { Variables } from '../config/read-environment.ts'
import { createAgent, type Agent } from '../create-agent.ts'
import { defineAgent } from '../define-agent.ts'
import type { JobContext } from '../handlers.ts'
import type { JobStore } from '../jobs/job-store.ts'
import { createMemoryStore } from '../jobs/memory-store.ts'
import { createLog } from '../log.ts'
import type { PaymentGate } from '../payment-gate/payment-gate.ts'
import { createFakeClock, type FakeClock } from '../testing/fake-clock.ts'

export const WALLET = '0x00000000000000000000000000000000000fa4e0'
export const ENDPOINT = 'http://agent.test/execute'
export const NETWORK_ID = 'eip155:84532'

/** Two prices, and room for handlers that outlive a lease. */
export const stageDeclaration = defineAgent({
  service_version: '1.0',
  name: 'Stage',
  description: 'Does what the test says.',
  wallet: '${AGENT_WALLET_ADDRESS}',
  max_deadline_seconds: 60,
  capabilities: {
    work: {
      description: 'Works.',
      pricing: { model: 'per_job', amount: '0.01', currency: 'USDC' },
      input_schema: { text: { type: 'string', required: true, maxLength: 20 } },
      output_schema: { text: { type: 'string' } },
    },
    cheap: {
      description: 'Works for less.',
      pricing: { model: 'per_job', amount: '0.001', currency: 'USDC' },
      input_schema: { text: { type: 'string', required: true } },
      output_schema: { text: { type: 'string' } },
    },
  },
})

/** What a handler of the stage does. */
export type Work = (input: JsonObject, context: JobContext) => unknown

/** A gate that answers what the test scripted, and remembers what it was asked. */
export interface ScriptedGate extends PaymentGate {
  /** One answer each; when they are used up, every payment is good. */
  readonly verifies: VerifyOutcome[]
  /** One answer each; when they are used up, every payment is charged. */
  readonly settles: SettleOutcome[]
  /** Keys of the payments charged. */
  readonly charged: Set<string>
}

/** A job as a test asks for it. */
export interface Asked {
  readonly jobId?: string
  readonly capability?: string
  readonly input?: unknown
  /** Unix seconds; default: half a minute from now. */
  readonly deadline?: number
  /** Value of `PAYMENT-SIGNATURE`; null: none. */
  readonly payment?: string | null
  readonly headers?: { readonly [name: string]: string }
}

/** An answer, read whole. */
export interface Answered {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  readonly json: { readonly [key: string]: unknown }
}

/** A paid agent without a socket, its clock, gate and store in the test's hands. */
export interface Stage {
  readonly agent: Agent
  readonly clock: FakeClock
  readonly gate: ScriptedGate
  readonly store: JobStore
  /** Every call of a port, in order: `claim`, `verify`, `handler`, `write saved`, `settle`, … */
  readonly calls: string[]
  work: Work
  logs(): readonly string[]
  post(asked?: Asked): Promise<Answered>
  /** Signs a payment header, bound to the job. */
  sign(payment: SignedFor): Promise<string>
}

export interface SignedFor {
  readonly jobId: string
  readonly capability?: 'work' | 'cheap'
  readonly payer?: PaymentSigner
  /** Unix seconds. */
  readonly validBefore?: number
  readonly endpoint?: string
  /** As other clients sign: the nonce names no job. */
  readonly unbound?: boolean
}

export interface StageOptions {
  readonly clock?: FakeClock
  readonly store?: JobStore
  readonly gate?: ScriptedGate
  readonly declaration?: Declaration
  readonly variables?: Variables
  readonly settlePatienceMs?: number
  /** No gate at all: FACILITATOR_SECRET is missing. */
  readonly locked?: boolean
  /** A module of handlers `work` and `cheap`, run in processes of their own. */
  readonly isolated?: URL
}

/** Sets up a paid agent whose handlers echo their text, until the test says otherwise. */
export async function stageAgent(options: StageOptions = {}): Promise<Stage> {
  const crypto = await loadEvmCrypto()
  const clock = options.clock ?? createFakeClock()
  const calls: string[] = []
  const gate = options.gate ?? createScriptedGate()
  const store = options.store ?? createMemoryStore(clock)
  const lines: string[] = []
  const log = createLog({
    format: 'text',
    write: text => lines.push(...text.trimEnd().split('\n')),
    nowMs: clock.nowMs,
  })
  const state: { work: Work } = { work: ({ text }) => ({ text }) }
  const handler: Work = (input, context) => {
    calls.push('handler')
    return state.work(input, context)
  }
  const agent = await createAgent({
    declaration: options.declaration ?? (stageDeclaration as Declaration),
    ...(options.isolated === undefined
      ? { handlers: { work: handler, cheap: handler } }
      : { handlers: options.isolated, isolation: 'worker' }),
    variables: {
      SERVICE_DEV_MODE: 'false',
      AGENT_WALLET_ADDRESS: WALLET,
      SERVICE_NETWORK: NETWORK_ID,
      ...options.variables,
    },
    ports: {
      clock,
      log,
      jobStore: {
        store: recordingStore(store, calls),
        name: 'memory:',
        shared: false,
        close: () => Promise.resolve(),
      },
      ...(options.locked !== true && { paymentGate: recordingGate(gate, calls) }),
      ...(options.settlePatienceMs !== undefined && { settlePatienceMs: options.settlePatienceMs }),
    },
  })
  const payer = signerOf(crypto, 1)
  const sign = async (wanted: SignedFor): Promise<string> =>
    await signFor(crypto, clock, { payer, ...wanted })
  return {
    agent,
    clock,
    gate,
    store,
    calls,
    get work() {
      return state.work
    },
    set work(work) {
      state.work = work
    },
    logs() {
      log.flush()
      return lines
    },
    async post(asked = {}) {
      const jobId = asked.jobId ?? randomUUID()
      const capability = asked.capability === 'cheap' ? 'cheap' : 'work'
      const payment = asked.payment === undefined ? await sign({ jobId, capability }) : asked.payment
      const response = await agent.fetch(executeRequest(clock, { ...asked, jobId, payment }))
      return await readAnswer(response)
    },
    sign,
  }
}

/** Wallets of the tests, numbered from 1. */
export function signerOf(crypto: EvmCrypto, number: number): PaymentSigner {
  return privateKeySigner(crypto, toHex(Uint8Array.from({ length: 32 }, (_, index) => index + number)))
}

/** A `POST /execute` as a web-standard request. */
export function executeRequest(clock: FakeClock, asked: Asked): Request {
  return new Request(ENDPOINT, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(typeof asked.payment === 'string' && { 'payment-signature': asked.payment }),
      ...asked.headers,
    },
    body: JSON.stringify({
      service_version: '1.0',
      job_id: asked.jobId,
      task: { capability: asked.capability, input: asked.input ?? { text: 'hi' } },
      deadline: asked.deadline ?? clock.nowMs() / 1_000 + 30,
    }),
  })
}

export async function readAnswer(response: Response): Promise<Answered> {
  const text = await response.text()
  return {
    status: response.status,
    headers: response.headers,
    text,
    json: text === '' ? {} : (JSON.parse(text) as Answered['json']),
  }
}

/** Makes the gate; it charges each payment once, whatever it is asked. */
export function createScriptedGate(): ScriptedGate {
  const gate: ScriptedGate = {
    verifies: [],
    settles: [],
    charged: new Set(),
    verify: () =>
      Promise.resolve(gate.verifies.shift() ?? { kind: 'valid', hold: { holdId: 'hold', holdUntil: 4e9 } }),
    settle({ key }) {
      const outcome = gate.settles.shift() ?? { kind: 'settled', transaction: transactionOf(key) }
      if (outcome.kind === 'settled') gate.charged.add(key)
      return Promise.resolve(outcome)
    },
    release: () => Promise.resolve(),
  }
  return gate
}

export const UNKNOWN: SettleOutcome = { kind: 'unknown', cause: 'scripted' }
export const FAILED: SettleOutcome = {
  kind: 'failed',
  reason: 'insufficient_funds',
  message: '',
  transaction: '',
}

/** One transaction for each payment. */
export function transactionOf(key: string): string {
  return toHex(new TextEncoder().encode(key.slice(-32)))
}

function recordingStore(store: JobStore, calls: string[]): JobStore {
  return {
    claim(claim) {
      calls.push('claim')
      return store.claim(claim)
    },
    read(jobKey) {
      calls.push('read')
      return store.read(jobKey)
    },
    write(holder, change) {
      calls.push(change.kind === 'forget' ? 'forget' : `${change.kind} ${change.job.state}`)
      return store.write(holder, change)
    },
    unresolved: () => store.unresolved(),
  }
}

function recordingGate(gate: ScriptedGate, calls: string[]): PaymentGate {
  return {
    verify(payment, terms) {
      calls.push('verify')
      return gate.verify(payment, terms)
    },
    settle(payment) {
      calls.push('settle')
      return gate.settle(payment)
    },
    release(hold) {
      calls.push('release')
      return gate.release(hold)
    },
  }
}

async function signFor(
  crypto: EvmCrypto,
  clock: FakeClock,
  wanted: SignedFor & { readonly payer: PaymentSigner },
): Promise<string> {
  const network = findNetwork(NETWORK_ID)
  if (network === undefined) throw new Error(`${NETWORK_ID} is not in the table`)
  const { jobId, capability = 'work', payer, endpoint = ENDPOINT, validBefore } = wanted
  const requirement = createRequirement({
    network,
    payTo: WALLET,
    amountAtomic: capability === 'work' ? 10_000n : 1_000n,
    maxDeadlineSeconds: stageDeclaration.max_deadline_seconds,
  })
  if (wanted.unbound === true) {
    const authorization = {
      from: payer.address,
      to: WALLET,
      value: requirement.amount,
      validAfter: '0',
      validBefore: String(validBefore ?? Math.floor(clock.nowMs() / 1_000) + 3_600),
      nonce: `0x00${toHex(randomBytes(31)).slice(2)}`,
    }
    const signature = await payer.signTypedData(authorizationTypedData(network, authorization))
    return encodeHeader({ x402Version: 2, accepted: requirement, payload: { authorization, signature } })
  }
  const signed = await signPayment(crypto, payer, {
    network,
    requirement,
    binding: { endpoint, capability, jobId },
    nowSeconds: clock.nowMs() / 1_000,
    ...(validBefore !== undefined && { validBefore }),
  })
  return signed.header
}

/** Lets the time pass in which an answer comes. */
export async function after(clock: FakeClock, ms: number, answer: Promise<Answered>): Promise<Answered> {
  await clock.advance(ms)
  return await answer
}

/** What the `PAYMENT-RESPONSE` header carries. */
export function receiptOf(answer: Answered): unknown {
  const header = answer.headers.get('payment-response')
  return header === null ? undefined : (JSON.parse(Buffer.from(header, 'base64').toString()) as unknown)
}
