import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { jobBody, signFor } from '../../../e2e/stage/pay.ts'
import { noteAttempt, type Answer, type StormOrder } from './event-log.ts'
import { PUBLIC_URL, WALLET, type Payer, type Stage, type StageAgent } from './stage/stage.ts'
import { ask } from './stage/wire.ts'

/** The only capability of `agent/agent.json`, and its price. */
export const CAPABILITY = 'note'
const PRICE = '0.01'
const DEADLINE_SECONDS = 45
export const PAYMENT_VALID_SECONDS = 95

/** The ordered job. */
export interface OrderWish {
  readonly payer: Payer
  /** The duration of the handler. */
  readonly waitMs: number
  /**
   * Jobs for which the same payment is sent, with an unbound nonce, as stock clients make it: at most one of them can
   * be served. Undefined: one job, paid as our client pays, with a nonce bound to it (D13).
   */
  readonly competing?: number | undefined
}

/** Signs one payment, and creates an order for each of its jobs. */
export async function signOrders(
  { crypto, eventLog }: Stage,
  { payer, waitMs, competing }: OrderWish,
): Promise<readonly StormOrder[]> {
  const jobId = randomUUID()
  const boundTo = { endpoint: `${PUBLIC_URL}/execute`, capability: CAPABILITY, jobId }
  const header = await signFor(
    { crypto },
    {
      payTo: WALLET,
      price: PRICE,
      payerKey: payer.privateKey,
      validSeconds: PAYMENT_VALID_SECONDS,
      ...(competing === undefined && { boundTo }),
    },
  )
  const others = Array.from({ length: (competing ?? 1) - 1 }, () => randomUUID())
  const task = { capability: CAPABILITY, deadlineSeconds: DEADLINE_SECONDS }
  return [jobId, ...others].map(id =>
    eventLog.place(jobBody(id, { text: id, wait_ms: waitMs }, task), header, 'payment'),
  )
}

/** The way an order is repeated. */
export interface Persistence {
  /** The agent for the next attempt. */
  readonly nextAgent: () => StageAgent
  /** A 500 says that nothing was charged: a caller may trust it and stop. Otherwise it asks again. */
  readonly takes500?: boolean
  /** The time after which the caller stops. */
  readonly forMs: number
}

const FIRST_WAIT_MS = 100
const LONGEST_WAIT_MS = 1_500

/**
 * Sends an order, and repeats the same bytes under the same header, until the answer is definite: 200, or a refusal.
 * Records each outcome, including a missing answer. Undefined if none was definite before the caller stopped.
 */
export async function persist(
  { signal }: Stage,
  order: StormOrder,
  { nextAgent, takes500 = true, forMs }: Persistence,
): Promise<Answer | undefined> {
  const untilMs = Date.now() + forMs
  const headers = { 'content-type': 'application/json', 'payment-signature': order.header }
  const request = { method: 'POST', path: '/execute', headers, body: order.body } as const
  const isDefinite = ({ status }: Answer): boolean => status !== 503 && (status !== 500 || takes500)
  for (let waitMs = FIRST_WAIT_MS; !signal.aborted; waitMs = Math.min(2 * waitMs, LONGEST_WAIT_MS)) {
    const { name, connections } = nextAgent()
    const answer = await noteAttempt(order, name, () => ask(connections, request)).catch(() => undefined)
    if (answer !== undefined && isDefinite(answer)) return answer
    if (Date.now() + waitMs > untilMs) return undefined
    await delay(waitMs)
  }
  return undefined
}
