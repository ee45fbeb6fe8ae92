import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { jobBody, signFor } from '../../../e2e/stage/pay.ts'
import type { Answer, StormOrder } from './event-log.ts'
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
}

/** An order paid as our client pays: the nonce is bound to the job (D13). */
export async function signOrder(stage: Stage, wish: OrderWish): Promise<StormOrder> {
  const jobId = randomUUID()
  const boundTo = { endpoint: `${PUBLIC_URL}/execute`, capability: CAPABILITY, jobId }
  return place(stage, wish, jobId, await signFor(stage, { ...termsOf(wish), boundTo }))
}

/**
 * Orders that send one and the same payment, under a nonce that is bound to nothing, as stock clients make it. At most
 * one of them can be served.
 */
export async function signCompeting(
  stage: Stage,
  wish: OrderWish,
  count: number,
): Promise<readonly StormOrder[]> {
  const header = await signFor(stage, termsOf(wish))
  return Array.from({ length: count }, () => place(stage, wish, randomUUID(), header))
}

function termsOf({ payer, deadlineSeconds }: OrderWish): Parameters<typeof signFor>[1] {
  const validSeconds = deadlineSeconds + VALID_LONGER_SECONDS
  return { payTo: WALLET, price: PRICE, payerKey: payer.privateKey, validSeconds }
}

function place(
  { eventLog }: Stage,
  { waitMs, deadlineSeconds }: OrderWish,
  jobId: string,
  header: string,
): StormOrder {
  const input = { text: jobId, wait_ms: waitMs }
  return eventLog.place(jobBody(jobId, input, { capability: CAPABILITY, deadlineSeconds }), header, 'payment')
}

/** Sends an order to one agent, once, and notes the outcome. Never rejects: no answer is an outcome. */
export async function sendOrder(
  { eventLog }: Stage,
  { name, connections }: StageAgent,
  order: StormOrder,
): Promise<Answer | undefined> {
  const { header, body } = order
  const headers = { 'content-type': 'application/json', 'payment-signature': header }
  const send = (): Promise<Answer> => ask(connections, { method: 'POST', path: '/execute', headers, body })
  return await eventLog.note(order, name, send).catch(() => undefined)
}

/** How an order is repeated. */
export interface Persistence {
  /** Which agent is asked next. */
  readonly nextAgent: () => StageAgent
  /** A 500 says that nothing was charged: the caller believes it and goes. Otherwise it asks again. */
  readonly takes500: boolean
  /** Unix milliseconds: the caller gives up. */
  readonly untilMs: number
}

const FIRST_WAIT_MS = 100
const LONGEST_WAIT_MS = 1_500

/**
 * Sends an order, and again the same bytes under the same header, until the answer is definite: 200, or a refusal.
 * Undefined where none was by the time the caller gave up.
 */
export async function persist(
  stage: Stage,
  order: StormOrder,
  { nextAgent, takes500, untilMs }: Persistence,
): Promise<Answer | undefined> {
  const isDefinite = ({ status }: Answer): boolean => status !== 503 && (status !== 500 || takes500)
  for (let waitMs = FIRST_WAIT_MS; !stage.signal.aborted; waitMs = Math.min(2 * waitMs, LONGEST_WAIT_MS)) {
    const answer = await sendOrder(stage, nextAgent(), order)
    if (answer !== undefined && isDefinite(answer)) return answer
    if (Date.now() + waitMs > untilMs) return undefined
    await delay(waitMs)
  }
  return undefined
}
