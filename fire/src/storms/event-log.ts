import type { IncomingHttpHeaders } from 'node:http'
import type { Authorization } from '@farebox/payments/authorization/eip-3009'
import { decodeHeader } from '@farebox/payments/x402/payment-header'
import type { ManagedKind } from './stage/managed-process.ts'

/** A job and its payment, as sent: the same bytes each time. */
export interface StormOrder {
  readonly jobId: string
  readonly body: string
  /** Value of `PAYMENT-SIGNATURE`. */
  readonly header: string
  readonly authorization: Authorization
  /** At most one payment for all orders of a group: its authorization's key, or its payer if a client signs. */
  readonly group: string
  /** The result of each request, in the order in which they ended. */
  readonly attempts: Attempt[]
  /** The agents that began to execute it, once for each execution. */
  readonly begunBy: string[]
  /** When an agent recorded that its store has no copies of a run's result; Unix milliseconds. */
  readonly unkeptMs: number[]
}

/** A complete HTTP answer. */
export interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** One request for an order, and its result. Times are Unix milliseconds. */
export interface Attempt {
  readonly agent: string
  readonly sentMs: number
  readonly endedMs: number
  /** Undefined: there was no answer. */
  readonly answer: Answer | undefined
  /** The reason for a missing answer. */
  readonly trouble: string
}

/** The time for which a process was killed or suspended. */
export interface Outage {
  readonly kind: ManagedKind
  readonly name: string
  readonly pid: number
  /** For a store: the agents whose jobs it has; undefined: all. */
  readonly agents?: readonly string[]
  readonly atMs: number
  readonly untilMs: number
}

/** Every action on a stage and every answer: the input of the audit. */
export class EventLog {
  /** By job_id; of two payments for one job the later. */
  readonly orders = new Map<string, StormOrder>()
  readonly outages: Outage[] = []
  /** Errors that no audit would find. */
  readonly mishaps: string[] = []

  /** Records an order when it is sent, and that it is the only one for its payment, or for its payer. */
  place(body: string, header: string, paidOnceBy: 'payment' | 'payer'): StormOrder {
    // Both were made by us or by our client.
    const { job_id: jobId } = JSON.parse(body) as { job_id: string }
    const { payload } = decodeHeader(header) as { payload: { authorization: Authorization } }
    const { authorization } = payload
    const payer = authorization.from.toLowerCase()
    const group = paidOnceBy === 'payer' ? payer : authorizationKey(payer, authorization.nonce)
    const { attempts = [], begunBy = [], unkeptMs = [] } = this.orders.get(jobId) ?? {}
    const order = { jobId, body, header, authorization, group, attempts, begunBy, unkeptMs }
    this.orders.set(jobId, order)
    return order
  }
}

/** Records the result of sending an order to an agent; settles as it does. */
export async function noteAttempt(
  { attempts }: StormOrder,
  agent: string,
  send: () => Promise<Answer>,
): Promise<Answer> {
  const sentMs = Date.now()
  const note = (answer: Answer | undefined, trouble: string): void =>
    void attempts.push({ agent, sentMs, endedMs: Date.now(), answer, trouble })
  try {
    const answer = await send()
    note(answer, '')
    return answer
  } catch (error) {
    note(undefined, String(error))
    throw error
  }
}

/** The key of an authorization, of an order or of the chain. */
export function authorizationKey(payer: string, nonce: string): string {
  return `${payer}:${nonce}`
}

/** The first 200 to an order; undefined if there was none. */
export function firstSuccess({ attempts }: StormOrder): Answer | undefined {
  return attempts.find(({ answer }) => answer?.status === 200)?.answer
}
