import {
  createAgent,
  type Agent,
  type Declaration,
  type JobContext,
  type JsonObject,
  type Log,
} from 'farebox'
import { createFakeClock, type FakeClock } from 'farebox/testing'
import { createRecordingGate, type RecordingGate } from './recording-gate.ts'

/** How an agent is run: payments off, payments on, or payments on without FACILITATOR_SECRET (D11). */
export type Mode = 'dev' | 'paid' | 'locked'

export const MODES: readonly Mode[] = ['dev', 'paid', 'locked']

export const NETWORK_ID = 'eip155:84532'
export const WALLET = '0x00000000000000000000000000000000000fa4e0'
export const ORIGIN = 'http://agent.test'

/** One call of a handler: what it was given, and in which capability's name. */
export interface HandlerCall {
  readonly capability: string
  readonly jobId: string
  readonly input: JsonObject
}

/** What the handlers do next, whichever is called. */
export type Work = (input: JsonObject, context: JobContext) => unknown

/** An agent under fire, and everything it touched. */
export interface FuzzStage {
  readonly mode: Mode
  readonly declaration: Declaration
  readonly agent: Agent
  readonly clock: FakeClock
  readonly gate: RecordingGate
  readonly calls: HandlerCall[]
  /** Lines since they were last taken away. */
  readonly lines: string[]
  work: Work
  /** Answers one request. A fault put between the agent and the oracle stands here. */
  fetch(request: Request): Promise<Response>
}

/** Sets up an agent in a mode, on a clock of its own, with its store in memory. */
export async function createFuzzStage(options: {
  readonly mode: Mode
  readonly declaration: Declaration
  readonly funded: readonly string[]
}): Promise<FuzzStage> {
  const { mode, declaration } = options
  const clock = createFakeClock()
  const gate = createRecordingGate(options.funded)
  const calls: HandlerCall[] = []
  const lines: string[] = []
  const state: { work: Work } = { work: () => ({}) }
  const handler = (capability: string) => (input: JsonObject, context: JobContext) => {
    calls.push({ capability, jobId: context.jobId, input: structuredClone(input) })
    return state.work(input, context)
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
    ports: { clock, log: createLineLog(lines), ...(mode !== 'locked' && { paymentGate: gate }) },
  })
  return {
    mode,
    declaration,
    agent,
    clock,
    gate,
    calls,
    lines,
    get work() {
      return state.work
    },
    set work(work) {
      state.work = work
    },
    fetch: request => agent.fetch(request),
  }
}

function createLineLog(lines: string[]): Log {
  return {
    job: event => void lines.push(event),
    note: event => void lines.push(event),
    warn: event => void lines.push(`warning: ${event}`),
    flush: () => undefined,
  }
}
