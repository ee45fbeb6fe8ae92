import type { JobAnswer } from '@farebox/platform-api/jobs'
import { readOrder, updateOrder } from '../kept/order-store.ts'
import type { Order } from '../kept/order.ts'
import { answers } from '../site/answers.ts'
import type { Ask } from '../site/ask.ts'
import { putUntilAnswered, type Answered } from './put-until-answered.ts'

/**
 * Sends an order that is kept, again and again until the platform has answered: the same bytes, so that it is the same
 * job. One tab at a time does it. Resolves with the order as it is kept then: with its job, or with its refusal.
 *
 * @param tell of an answer that did not come, once for each
 */
export async function sendOrder(
  ask: Ask,
  order: Order,
  tell: () => void,
  signal: AbortSignal,
): Promise<Order> {
  return await navigator.locks.request(`farebox-order-${order.job_id}`, { signal }, async () => {
    const kept = await readOrder(order.job_id)
    // Another tab was first.
    if (kept?.job !== undefined || kept?.refusal !== undefined) return kept
    const { job_id, agent_id, capability, input, deadline, payment } = order
    const body = { agent_id, capability, job_id, input, deadline, payment }
    const put = (): Promise<JobAnswer> =>
      ask('/v1/jobs?wait=false', answers.job, { method: 'POST', body, signal })
    const change = changeOf(await putUntilAnswered(put, tell, signal))
    return (await updateOrder(order.job_id, change)) ?? { ...order, ...change }
  })
}

function changeOf(answered: Answered<JobAnswer>): Partial<Order> {
  if (!answered.ok) return { refusal: { type: answered.failure.type, sentence: answered.failure.message } }
  const { answer: job } = answered
  return { job, ...(job.job_token !== undefined && { job_token: job.job_token }) }
}
