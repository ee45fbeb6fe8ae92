import type { JsonObject } from '@farebox/protocol/fields/field'
import { answers } from '../site/answers.ts'
import type { Ask } from '../site/ask.ts'
import { updateOrder } from '../kept/order-store.ts'
import type { Order } from '../kept/order.ts'
import { isUnanswered, putUntilAnswered } from './put-until-answered.ts'

/**
 * Has a failed job sent once more: the same job with the same payment, which is not signed anew and can be used once.
 * Where no answer comes, nothing is lost: the job is looked at again, and says whether it runs.
 *
 * @param input may differ from what was ordered first
 * @param tell of an answer that did not come, once for each
 */
export async function retryJob(
  ask: Ask,
  order: Order,
  input: JsonObject,
  { tell, signal }: { readonly tell: () => void; readonly signal: AbortSignal },
): Promise<Order> {
  const headers: { [name: string]: string } =
    order.job_token === undefined ? {} : { 'job-token': order.job_token }
  const body = { payment: order.payment, input }
  const path = `/v1/jobs/${order.job_id}`
  const retry = { method: 'POST', body, headers } as const
  const job = await ask(`${path}/retry?wait=false`, answers.job, retry).catch(async (error: unknown) => {
    if (!isUnanswered(error)) throw error
    tell()
    const answered = await putUntilAnswered(() => ask(path, answers.job, { headers, signal }), tell, signal)
    if (!answered.ok) throw answered.failure
    return answered.answer
  })
  return (await updateOrder(order.job_id, { job, input })) ?? { ...order, job, input }
}
