import { setTimeout as delay } from 'node:timers/promises'
import { firstSuccess, type StormOrder } from '../event-log.ts'
import { sendOrder } from '../load/send-order.ts'
import type { StageAgent } from '../stage/parties.ts'
import type { Stage } from '../stage/stage.ts'
import { groupPayments, type ChainRecord } from './read-chain.ts'

/** Where it is asked, and until when. */
export interface Retrieval {
  /** Who is asked for an order; without it, any replica. */
  readonly agentFor?: ((order: StormOrder) => StageAgent | undefined) | undefined
  readonly signal: AbortSignal
}

/** How many are asked for at the same time. */
const ASKED_AT_ONCE = 16
const TRIES = 20
const TRY_AGAIN_MS = 500

/**
 * Asks again for everything that was charged or delivered, the same bytes under the same header, and writes down what
 * comes; resolves to the orders that were asked for. Each must be answered 200 (I4).
 */
export async function retrieveCharged(
  stage: Stage,
  orders: readonly StormOrder[],
  chain: ChainRecord,
  { agentFor, signal }: Retrieval,
): Promise<readonly StormOrder[]> {
  const isDelivered = ({ jobId }: StormOrder): boolean =>
    firstSuccess(stage.eventLog.attemptsOf(jobId)) !== undefined
  const paymentsOf = groupPayments(chain)
  const delivered = new Set(orders.filter(isDelivered).map(({ group }) => group))
  // Of orders that share a payment only the one that was delivered; all of them where none was.
  const charged = orders.filter(order =>
    delivered.has(order.group) ? isDelivered(order) : paymentsOf(order.group).length > 0,
  )
  const waiting = charged.entries()
  await Promise.all(
    Array.from({ length: ASKED_AT_ONCE }, async () => {
      for (const [index, order] of waiting) {
        if (signal.aborted) return
        await askAgain(stage, order, tries => agentFor?.(order) ?? anyOf(stage, index + tries))
      }
    }),
  )
  return charged
}

/** Replicas share what they remember: any will do. */
function anyOf({ agents }: Stage, turn: number): StageAgent {
  const agent = agents[turn % agents.length]
  if (agent === undefined) throw new Error('the stage has no agents')
  return agent
}

async function askAgain(
  stage: Stage,
  order: StormOrder,
  agentAt: (tries: number) => StageAgent,
): Promise<void> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const { answer } = await sendOrder(stage, agentAt(tries), order)
    if (answer !== undefined && answer.status !== 503) return
    await delay(TRY_AGAIN_MS)
  }
}
