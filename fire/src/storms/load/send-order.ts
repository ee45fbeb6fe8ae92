import { setTimeout as delay } from 'node:timers/promises'
import type { Attempt, StormAnswer, StormOrder } from '../event-log.ts'
import type { StageAgent } from '../stage/parties.ts'
import type { Stage } from '../stage/stage.ts'

/** Sends an order to one agent, once, and records the outcome. Never rejects: no answer is an outcome. */
export async function sendOrder({ eventLog }: Stage, agent: StageAgent, order: StormOrder): Promise<Attempt> {
  const sentMs = Date.now()
  let answer: StormAnswer | undefined
  let trouble = ''
  try {
    const { statusCode, headers, body } = await agent.connections.request({
      method: 'POST',
      path: '/execute',
      headers: { 'content-type': 'application/json', 'payment-signature': order.header },
      body: order.body,
    })
    const receipt = headers['payment-response']
    answer = {
      status: statusCode,
      body: await body.text(),
      receipt: typeof receipt === 'string' ? receipt : '',
    }
  } catch (error) {
    trouble = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
  }
  const attempt = { agent: agent.name, sentMs, endedMs: Date.now(), answer, trouble }
  eventLog.attempted(order, attempt)
  return attempt
}

/** How an order is repeated. */
export interface Persistence {
  /** Which agent is asked next. */
  readonly nextAgent: () => StageAgent
  /** A 500 says that nothing was charged: the caller believes it and goes. Otherwise it asks again. */
  readonly takes500: boolean
  /** Unix milliseconds: the caller gives up. */
  readonly untilMs: number
  readonly signal: AbortSignal
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
  { nextAgent, takes500, untilMs, signal }: Persistence,
): Promise<StormAnswer | undefined> {
  for (let waitMs = FIRST_WAIT_MS; !signal.aborted; waitMs = Math.min(2 * waitMs, LONGEST_WAIT_MS)) {
    const { answer } = await sendOrder(stage, nextAgent(), order)
    if (answer !== undefined && isDefinite(answer, takes500)) return answer
    if (Date.now() + waitMs > untilMs) return undefined
    await delay(waitMs)
  }
  return undefined
}

function isDefinite({ status }: StormAnswer, takes500: boolean): boolean {
  return status !== 503 && (status !== 500 || takes500)
}
