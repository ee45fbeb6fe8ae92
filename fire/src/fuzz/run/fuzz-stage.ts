import { SHUTDOWN_GRACE_SECONDS } from '@farebox/protocol/limits'
import { createAgent, type Declaration, type JobContext, type JsonObject, type PaymentGate } from 'farebox'
import { createFakeClock, createFakeGate, type SettleFault, type VerifyFault } from 'farebox/testing'

/** The mode of an agent: payments off, payments on, or payments on without FACILITATOR_SECRET (D11). */
export type Mode = 'dev' | 'paid' | 'locked'

export const NETWORK_ID = 'eip155:84532'
export const WALLET = '0x00000000000000000000000000000000000fa4e0'
export const EXECUTE_URL = 'http://agent.test/execute'

/** One call of a handler: its input, and its capability. */
export interface HandlerCall {
  readonly capability: string
  readonly input: JsonObject
}

/** One request to the payment gate. */
export interface GateEvent {
  readonly call: 'verify' | 'settle'
  readonly key: string
}

/** The next actions of handlers and gate, whichever are called. */
interface Next {
  work: (input: JsonObject, context: JobContext) => unknown
  /** One for each call, as long as there are any. */
  verifyFaults: VerifyFault[]
  settleFaults: SettleFault[]
}

/** An agent under test, and everything it used. */
export type FuzzStage = Awaited<ReturnType<typeof createFuzzStage>>

/** Sets up an agent in a mode, with its own clock and its store in memory. */
export async function createFuzzStage(mode: Mode, declaration: Declaration, funded: readonly string[]) {
  const clock = createFakeClock()
  const next: Next = { work: () => ({}), verifyFaults: [], settleFaults: [] }
  const gate = createRecordingGate(funded, next)
  const calls: HandlerCall[] = []
  const handler = (capability: string) => (input: JsonObject, context: JobContext) => {
    calls.push({ capability, input: structuredClone(input) })
    return next.work(input, context)
  }
  const names = Object.keys(declaration.capabilities)
  const agent = await createAgent({
    declaration,
    handlers: Object.fromEntries(names.map(name => [name, handler(name)])),
    variables: {
      SERVICE_DEV_MODE: String(mode === 'dev'),
      AGENT_WALLET_ADDRESS: WALLET,
      SERVICE_NETWORK: NETWORK_ID,
      SERVICE_STORE: 'memory:',
    },
    ports: { clock, log: NO_LOG, ...(mode !== 'locked' && { paymentGate: gate }) },
  })
  const close = async (): Promise<void> => {
    const closing = agent.close()
    // Jobs may never end: their grace period passes on this clock.
    await clock.advance(2 * SHUTDOWN_GRACE_SECONDS * 1_000)
    await closing
  }
  /** Answers one request. A fault between the agent and the oracle replaces the answer. */
  const fetch = (request: Request) => agent.fetch(request)
  return { mode, declaration, agent, clock, gate, calls, next, fetch, close }
}

function nothing(): void {}

const NO_LOG = { job: nothing, note: nothing, warn: nothing, flush: nothing }

/**
 * A gate that records every payment it was ever asked about, so that charges can be judged afterwards. The listed
 * payers have enough money, all others have none.
 */
function createRecordingGate(funded: readonly string[], next: Next) {
  const gate = createFakeGate({ funded })
  /** The requests since the last read, in order. */
  const events: GateEvent[] = []
  /** Keys of all payments that it verified. */
  const verified = new Set<string>()
  /** Transactions of all payments that it charged, by payment key. */
  const charged = new Map<string, string>()
  const recording: PaymentGate = {
    ...gate,
    async verify(payment, terms) {
      gate.failVerify(...next.verifyFaults.splice(0, 1))
      const outcome = await gate.verify(payment, terms)
      events.push({ call: 'verify', key: payment.key })
      if (outcome.kind === 'valid') verified.add(payment.key)
      return outcome
    },
    async settle(payment) {
      gate.failSettle(...next.settleFaults.splice(0, 1))
      const outcome = await gate.settle(payment)
      events.push({ call: 'settle', key: payment.key })
      if (outcome.kind === 'settled') charged.set(payment.key, outcome.transaction)
      return outcome
    },
  }
  return { ...recording, events, verified, charged }
}
