import type { JobAnswer } from '@farebox/platform-api/jobs'
import { ApiFailure, type Ask } from '../site/ask.ts'
import { readOrder, updateOrder } from '../kept/order-store.ts'
import type { Order } from '../kept/order.ts'

const FIRST_PAUSE_MS = 400
const LONGEST_PAUSE_MS = 10_000

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
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
      const answered = await put(ask, order, signal)
      if (answered !== undefined)
        return (await updateOrder(order.job_id, answered)) ?? { ...order, ...answered }
      tell()
      await pause(pauseMs, signal)
    }
  })
}

/** Undefined: nobody knows whether it arrived. */
async function put(ask: Ask, order: Order, signal: AbortSignal): Promise<Partial<Order> | undefined> {
  const { job_id, agent_id, capability, input, deadline, payment } = order
  try {
    const body = { agent_id, capability, job_id, input, deadline, payment }
    const job = await ask<JobAnswer>('/v1/jobs?wait=false', { method: 'POST', body, signal })
    return { job, ...(job.job_token !== undefined && { job_token: job.job_token }) }
  } catch (error) {
    if (!(error instanceof ApiFailure)) throw error
    // 429 and 5xx say nothing of the order; any other refusal says that there is no job.
    if (error.status === 0 || error.status === 429 || error.status >= 500) return undefined
    return { refusal: { type: error.type, sentence: error.message } }
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      reject(signal.reason instanceof Error ? signal.reason : new Error('the page was left'))
    })
  })
}
