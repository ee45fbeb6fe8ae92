import { setTimeout as delay } from 'node:timers/promises'
import { firstSuccess, type StormAnswer, type StormOrder } from '../event-log.ts'
import { sendOrder } from '../load/send-order.ts'
import { HANG_MS } from '../stage/managed-process.ts'
import type { StageAgent } from '../stage/parties.ts'
import type { Stage } from '../stage/stage.ts'
import { groupPayments, type ChainRecord } from './read-chain.ts'

/** Where it is asked, and until when. */
export interface Retrieval {
  /** Who is asked for an order; without it, any replica. */
  readonly agentFor?: ((order: StormOrder) => StageAgent | undefined) | undefined
  readonly signal: AbortSignal
}

/** What was asked for again, and what was not answered as it must be. */
export interface RetrievalVerdict {
  readonly asked: number
  readonly findings: readonly string[]
}

const ASKED_AT_ONCE = 16
const TRY_AGAIN_MS = 500

/**
 * Asks again for everything that was charged or delivered, the same bytes under the same header. Each must be answered
 * 200 (I4); of orders that share a payment the one that was delivered.
 */
export async function retrieveCharged(
  stage: Stage,
  orders: readonly StormOrder[],
  chain: ChainRecord,
  { agentFor, signal }: Retrieval,
): Promise<RetrievalVerdict> {
  const { agents, eventLog } = stage
  const paymentsOf = groupPayments(chain)
  const isDelivered = ({ jobId }: StormOrder): boolean =>
    firstSuccess(eventLog.attemptsOf(jobId)) !== undefined
  const delivered = orders.filter(isDelivered)
  const bought = new Set(delivered.map(({ group }) => group))
  const lost = orders.filter(({ group }) => !bought.has(group) && paymentsOf(group).length > 0)
  const charged = [...delivered, ...lost]
  const findings: string[] = []
  const waiting = charged.entries()
  const worker = async (): Promise<void> => {
    for (const [index, order] of waiting) {
      if (signal.aborted) return
      // Replicas share what they remember: any will do.
      const turn = (tries: number): StageAgent | undefined => agents[(index + tries) % agents.length]
      const answer = await askAgain(stage, order, tries => agentFor?.(order) ?? turn(tries))
      // That nothing was delivered for a payment is a finding about money.
      if (answer?.status !== 200 && isDelivered(order))
        findings.push(
          `${order.jobId} was delivered and cannot be fetched again: ${answer?.status ?? 'no answer'} ${answer?.body ?? ''}`,
        )
    }
  }
  await Promise.all(Array.from({ length: ASKED_AT_ONCE }, worker))
  return { asked: charged.length, findings }
}

async function askAgain(
  stage: Stage,
  order: StormOrder,
  agentAt: (tries: number) => StageAgent | undefined,
): Promise<StormAnswer | undefined> {
  const giveUpMs = performance.now() + HANG_MS
  for (let tries = 0; ; tries += 1) {
    const agent = agentAt(tries)
    if (agent === undefined) throw new Error('the stage has no agents')
    const { answer } = await sendOrder(stage, agent, order)
    if ((answer !== undefined && answer.status !== 503) || performance.now() > giveUpMs) return answer
    await delay(TRY_AGAIN_MS)
  }
}
