import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { jobBody, signFor } from '../../../e2e/stage/pay.ts'
import { noteAttempt, type Answer, type StormOrder } from './event-log.ts'
import { PUBLIC_URL, WALLET, type Payer, type Stage, type StageAgent } from './stage/stage.ts'
import { ask } from './stage/wire.ts'

/** The only capability of `agent/agent.json`, and what it costs. */
export const CAPABILITY = 'note'
const PRICE = '0.01'
/** Of a payment, beyond the deadline of its job. */
const VALID_LONGER_SECONDS = 50

/** What is ordered. */
export interface OrderWish {
  readonly payer: Payer
  /** How long the handler takes. */
  readonly waitMs: number
  readonly deadlineSeconds: number
  /**
   * Jobs that one and the same payment is sent for, under a nonce that is bound to nothing, as stock clients make it: at
   * most one of them can be served. Undefined: one job, paid as our client pays, the nonce bound to it (D13).
   */
  readonly competing?: number | undefined
}

/** Signs one payment, and places an order for each of its jobs. */
export async function signOrders(
  { crypto, eventLog }: Stage,
  { payer, waitMs, deadlineSeconds, competing }: OrderWish,
): Promise<readonly [StormOrder, ...StormOrder[]]> {
  const jobId = randomUUID()
  const boundTo = { endpoint: `${PUBLIC_URL}/execute`, capability: CAPABILITY, jobId }
  const header = await signFor(
    { crypto },
    {
      payTo: WALLET,
      price: PRICE,
      payerKey: payer.privateKey,
      validSeconds: deadlineSeconds + VALID_LONGER_SECONDS,
      ...(competing === undefined && { boundTo }),
    },
  )
  const place = (id: string): StormOrder => {
    const task = { capability: CAPABILITY, deadlineSeconds }
    return eventLog.place(jobBody(id, { text: id, wait_ms: waitMs }, task), header, 'payment')
  }
  const others = Array.from({ length: (competing ?? 1) - 1 }, () => place(randomUUID()))
  return [place(jobId), ...others]
}

/** Sends an order to one agent, once, and notes the outcome. Never rejects: no answer is an outcome. */
export async function sendOrder(
  { name, connections }: StageAgent,
  order: StormOrder,
): Promise<Answer | undefined> {
  const { header, body } = order
  const headers = { 'content-type': 'application/json', 'payment-signature': header }
  const send = (): Promise<Answer> => ask(connections, { method: 'POST', path: '/execute', headers, body })
  return await noteAttempt(order, name, send).catch(() => undefined)
}

/** How an order is repeated. */
export interface Persistence {
  /** Which agent is asked next. */
  readonly nextAgent: () => StageAgent
  /** A 500 says that nothing was charged: the caller believes it and goes. Otherwise it asks again. */
  readonly takes500?: boolean
  /** The caller gives up then. */
  readonly forMs: number
}

const FIRST_WAIT_MS = 100
const LONGEST_WAIT_MS = 1_500

/**
 * Sends an order, and again the same bytes under the same header, until the answer is definite: 200, or a refusal.
 * Undefined where none was by the time the caller gave up.
 */
export async function persist(
  { signal }: Stage,
  order: StormOrder,
  { nextAgent, takes500 = true, forMs }: Persistence,
): Promise<Answer | undefined> {
  const untilMs = Date.now() + forMs
  const isDefinite = ({ status }: Answer): boolean => status !== 503 && (status !== 500 || takes500)
  for (let waitMs = FIRST_WAIT_MS; !signal.aborted; waitMs = Math.min(2 * waitMs, LONGEST_WAIT_MS)) {
    const answer = await sendOrder(nextAgent(), order)
    if (answer !== undefined && isDefinite(answer)) return answer
    if (Date.now() + waitMs > untilMs) return undefined
    await delay(waitMs)
  }
  return undefined
}
