import type { IncomingHttpHeaders } from 'node:http'
import type { Authorization } from '@farebox/payments/authorization/eip-3009'
import { decodeHeader } from '@farebox/payments/x402/payment-header'
import type { ManagedKind } from './stage/managed-process.ts'

/** A job and the payment for it, as they are sent: the same bytes each time. */
export interface StormOrder {
  readonly jobId: string
  readonly body: string
  /** Value of `PAYMENT-SIGNATURE`. */
  readonly header: string
  readonly authorization: Authorization
  /** One payment at most for all orders of a group: its authorization's key, or its payer where a client signs. */
  readonly group: string
  /** What came of each sending, in the order in which they ended. */
  readonly attempts: Attempt[]
  /** The agents that have begun to execute it, each as often as it did. */
  readonly begunBy: string[]
  /** When an agent noted that its store has no copies of what became of a run; Unix milliseconds. */
  readonly unkeptMs: number[]
}

/** An HTTP answer, whole. */
export interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** One sending of an order, and what came of it. Times are Unix milliseconds. */
export interface Attempt {
  readonly agent: string
  readonly sentMs: number
  readonly endedMs: number
  /** Undefined: no answer came. */
  readonly answer: Answer | undefined
  /** Why none came. */
  readonly trouble: string
}

/** A process that was killed, until it was back, or stood still for a while. */
export interface Outage {
  readonly kind: ManagedKind
  readonly name: string
  readonly pid: number
  /** Of a store: the agents that keep their jobs there; undefined: all. */
  readonly agents?: readonly string[]
  readonly atMs: number
  readonly untilMs: number
}

/** Everything that was done to a stage and every answer it gave; what the audit judges. */
export class EventLog {
  /** By job_id; of two payments for one job the later. */
  readonly orders = new Map<string, StormOrder>()
  readonly outages: Outage[] = []
  /** What went wrong that no audit would find. */
  readonly mishaps: string[] = []

  /** Notes an order as it is sent, and that it is the only one for its payment, or for its payer. */
  place(body: string, header: string, paidOnceBy: 'payment' | 'payer'): StormOrder {
    // Both were made by us or by a client of ours.
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

/** Notes what comes of sending an order to an agent; settles as it does. */
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

/** Names an authorization, of an order or of the chain. */
export function authorizationKey(payer: string, nonce: string): string {
  return `${payer}:${nonce}`
}

/** The first 200 to an order; undefined where none came. */
export function firstSuccess({ attempts }: StormOrder): Answer | undefined {
  return attempts.find(({ answer }) => answer?.status === 200)?.answer
}
