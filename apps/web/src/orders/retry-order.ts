import type { JsonObject } from '@farebox/protocol/fields/field'
import type { SignedOrder } from '../kept/order.ts'
import { answers } from '../site/answers.ts'
import { headersFor } from './follow-job.ts'
import { isUnanswered, putUntilAnswered } from './put-until-answered.ts'
import type { OrderAccess } from './send-order.ts'

/**
 * Has a failed job sent once more: the same job with the same payment, which is not signed again and can be used once.
 * Without an answer nothing is lost: the job is read, and says whether it runs.
 *
 * @param input may differ from what was ordered first
 * @param options.onUnanswered called for each attempt without an answer
 * @throws {ApiFailure} where the platform refuses
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
