import type { JsonObject } from '@farebox/protocol/fields/field'
import { answers } from '../site/answers.ts'
import type { Ask } from '../site/ask.ts'
import { updateOrder } from '../kept/order-store.ts'
import type { Order } from '../kept/order.ts'

/**
 * Has a failed job sent once more: the same job with the same payment, which is not signed anew and can be used once.
 * Where no answer comes, nothing is lost: the job is looked at again, and says whether it runs.
 *
 * @param input may differ from what was ordered first
 */
export async function retryJob(ask: Ask, order: Order, input: JsonObject): Promise<Order> {
  const headers: { [name: string]: string } =
    order.job_token === undefined ? {} : { 'job-token': order.job_token }
  const body = { payment: order.payment, input }
  const job = await ask(`/v1/jobs/${order.job_id}/retry?wait=false`, answers.job, {
    method: 'POST',
    body,
    headers,
  })
  return (await updateOrder(order.job_id, { job, input })) ?? { ...order, job, input }
}
