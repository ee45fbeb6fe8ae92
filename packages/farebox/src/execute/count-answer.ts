import { isServiceError } from '@farebox/protocol/errors/service-errors'
import type { Answer } from '../answer/answer.ts'
import type { JobOrder } from './request/job-order.ts'
import { RefusedPayment } from './payment/refused-payment.ts'
import { HandlerOverran } from './run/run-handler.ts'
import type { Service } from './service/service.ts'

/** Counts the response of a job that did not fail, and returns it. */
export function countAnswer(
  { metrics, payments }: Service,
  order: JobOrder,
  how: 'run' | 'repeat',
  answer: Answer,
): Answer {
  const delivered = how === 'repeat' ? 'repeated' : payments === undefined ? 'free' : 'settled'
  const outcome = answer.status === 200 ? delivered : 'pending'
  metrics.answered({ capability: order.capability.name, outcome })
  return answer
}

/** Counts the 402 that names the price, and returns it. */
export function countAsked({ metrics }: Service, answer: Answer): Answer {
  metrics.answered({ outcome: 'asked_to_pay' })
  return answer
}

/** Counts a refusal or failure. */
export function countRefusal(
  { metrics }: Service,
  order: JobOrder | undefined,
  thrown: unknown,
  { status }: Answer,
): void {
  const capability = order?.capability.name
  const outcome = thrown instanceof RefusedPayment ? 'unpaid' : status >= 500 ? 'failed' : 'refused'
  const errorType = isServiceError(thrown) ? thrown.errorType : status === 401 ? 'payment' : 'internal'
  metrics.answered({ capability, outcome, errorType })
  if (thrown instanceof HandlerOverran) metrics.overran(capability ?? '')
}
