import type { JsonObject } from '@farebox/protocol/fields/field'
import type { SignedOrder } from '../kept/order.ts'
import { answers } from '../site/answers.ts'
import { headersFor } from './follow-job.ts'
import { isUnanswered, putUntilAnswered } from './put-until-answered.ts'
import type { OrderAccess } from './send-order.ts'

/**
 * Has a failed job sent again: the same job with the same payment, which needs no new signature and can be charged only
 * once. If there is no answer, nothing is lost, because reading the job shows whether it is running.
 *
 * @param input may differ from the input of the order
 * @param options.onUnanswered called for each attempt without an answer
 * @throws {ApiFailure} when the platform refuses
 */
export async function retryOrder(
  { ask, journal, clock }: OrderAccess,
  order: SignedOrder,
  input: JsonObject,
  { onUnanswered, signal }: { readonly onUnanswered: () => void; readonly signal: AbortSignal },
): Promise<SignedOrder> {
  const headers = headersFor({ token: order.job_token })
  const path = `/v1/jobs/${order.job_id}`
  const body = { payment: order.payment, input }
  const sent = { method: 'POST', body, headers } as const
  const job = await ask(`${path}/retry?wait=false`, answers.job, sent).catch(async (error: unknown) => {
    if (!isUnanswered(error)) throw error
    onUnanswered()
    const read = () => ask(path, answers.job, { headers, signal })
    const answered = await putUntilAnswered(read, { onUnanswered, signal, clock })
    if (!answered.ok) throw answered.failure
    return answered.answer
  })
  return (await journal.update(order.job_id, { job, input })) ?? { ...order, job, input }
}
