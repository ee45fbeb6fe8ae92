import type { Clock } from '@farebox/protocol/time/clock'
import type { JobAnswer } from '@farebox/platform-api/jobs'
import type { SignedOrder, OrderJournal } from '../kept/order.ts'
import { answers } from '../site/answers.ts'
import type { Ask } from '../site/ask.ts'
import { putUntilAnswered, type Answered } from './put-until-answered.ts'

/** The platform that takes orders, and the journal that stores them. */
export interface OrderAccess {
  readonly ask: Ask
  readonly journal: OrderJournal
  readonly clock: Clock
}

/**
 * Sends an order of the journal until the platform has answered. Each attempt sends the same bytes, so all attempts order
 * the same job. Only one tab at a time sends it. Resolves to the order as the journal then has it: with its job, or with its
 * refusal.
 *
 * @param onUnanswered called for each attempt without an answer
 */
export async function sendOrder(
  { ask, journal, clock }: OrderAccess,
  order: SignedOrder,
  onUnanswered: () => void,
  signal: AbortSignal,
): Promise<SignedOrder> {
  const send = async (): Promise<SignedOrder> => {
    const kept = await journal.read(order.job_id)
    // Another tab has sent the order.
    if (kept?.job !== undefined || kept?.refusal !== undefined) return kept
    const { job_id, agent_id, capability, input, deadline, payment } = order
    const body = { agent_id, capability, job_id, input, deadline, payment }
    const put = (): Promise<JobAnswer> =>
      ask('/v1/jobs?wait=false', answers.job, { method: 'POST', body, signal })
    const change = changeOf(await putUntilAnswered(put, { onUnanswered, signal, clock }))
    return (await journal.update(order.job_id, change)) ?? { ...order, ...change }
  }
  return await journal.lock(order.job_id, send, signal)
}

function changeOf(answered: Answered<JobAnswer>): Partial<SignedOrder> {
  if (!answered.ok) return { refusal: { type: answered.failure.type, sentence: answered.failure.message } }
  const { answer: job } = answered
  return { job, ...(job.job_token !== undefined && { job_token: job.job_token }) }
}
