import { randomUUID } from 'node:crypto'
import { loadEvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import type { Declaration } from '@farebox/protocol/declaration/declaration'
import type { JsonObject } from '@farebox/protocol/fields/field'
import type { Variables } from '../environment/read-environment.ts'
import { createAgent, type Agent } from '../agent/create-agent.ts'
import type { JobContext } from '../handlers.ts'
import type { JobStore } from '../jobs/job-store.ts'
import { createMemoryStore } from '../jobs/memory-store.ts'
import { createLog } from '../log.ts'
import type { PaymentGate } from '../payment-gate/payment-gate.ts'
import { createFakeClock, type FakeClock } from '../testing/fake-clock.ts'
import { createScriptedGate, type ScriptedGate } from './scripted-gate.test-setup.ts'
import {
  NETWORK_ID,
  signerOf,
  signFor,
  stageDeclaration,
  WALLET,
  type SignedFor,
} from './staged-payment.test-setup.ts'
import { executeRequest, readAnswer, type Answered, type Asked } from './staged-request.test-setup.ts'

/** The work of a handler of the stage. */
export type Work = (input: JsonObject, context: JobContext) => unknown

/** A paid agent without a socket, whose clock, gate and store the test controls. */
export interface Stage {
  readonly agent: Agent
  readonly clock: FakeClock
  readonly gate: ScriptedGate
  readonly store: JobStore
  /** Every call of a port, in order: `claim`, `verify`, `handler`, `hold saved`, `settle`, … */
  readonly calls: string[]
  work: Work
  logs(): readonly string[]
  /** The number of calls with this name. */
  count(call: string): number
  /** Makes the handler take this long from now on, ignoring its signal. */
  takes(ms: number): void
  post(asked?: Asked): Promise<Answered>
  /** A new job_id and a payment bound to it, which can be posted repeatedly. */
  order(payment?: Omit<SignedFor, 'jobId'>): Promise<{ readonly jobId: string; readonly payment: string }>
  /** Signs a payment header, bound to the job. */
  sign(payment: SignedFor): Promise<string>
}

/** The ports that several agents of one test share. */
export function createPorts(): {
  readonly clock: FakeClock
  readonly store: JobStore
  readonly gate: ScriptedGate
} {
  const clock = createFakeClock()
  return { clock, store: createMemoryStore(clock), gate: createScriptedGate() }
}

export interface StageOptions {
  readonly clock?: FakeClock
  readonly store?: JobStore
  readonly gate?: ScriptedGate
  readonly declaration?: Declaration
  readonly variables?: Variables
  readonly settleWaitMs?: number
  /** Without a gate, as if FACILITATOR_SECRET were missing. */
  readonly locked?: boolean
  /** A module with handlers `work` and `cheap`, which run in separate processes. */
  readonly isolated?: URL
}

/** Makes a paid agent whose handlers echo their text, unless the test sets other work. */
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
      ...(options.settleWaitMs !== undefined && { settleWaitMs: options.settleWaitMs }),
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
    count: wanted => calls.filter(call => call === wanted).length,
    takes(ms) {
      state.work = async ({ text }) => {
        await new Promise<void>(resolve => void clock.after(ms, resolve))
        return { text }
      }
    },
    async order(payment) {
      const jobId = randomUUID()
      return { jobId, payment: await sign({ jobId, ...payment }) }
    },
    sign,
  }
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
    findCharge(payment, terms) {
      calls.push('inquire')
      return gate.findCharge(payment, terms)
    },
    settle(payment) {
      calls.push('settle')
      return gate.settle(payment)
    },
    release(hold, terms) {
      calls.push('release')
      return gate.release(hold, terms)
    },
    clockAheadSeconds: () => gate.clockAheadSeconds(),
  }
}
