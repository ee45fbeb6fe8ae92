import { ERROR_STATUS, INTERNAL_ERROR_MESSAGE } from '@farebox/protocol/errors/error-types'
import { isServiceError } from '@farebox/protocol/errors/service-errors'
import { failureAnswer, shuttingDown, type Answer } from '../answer/answer.ts'
import type { Log } from '../log.ts'
import { fieldsOf } from '../tracing/job-traces.ts'
import type { JobOrder } from './request/job-order.ts'
import { TryLater } from './service/admission.ts'
import { UnauthorizedAgent } from './payment/authorize-agent.ts'
import { RefusedPayment } from './payment/refused-payment.ts'
import { UnverifiedPayment } from './payment/reserve-payment.ts'
import { HandlerCutOff } from './run/run-handler.ts'

/**
 * Turns everything thrown by the pipeline into an HTTP response (D15, D26). Details that are not meant for the caller
 * are logged.
 */
export function answerError(log: Log, thrown: unknown, order?: JobOrder): Answer {
  if (thrown instanceof UnverifiedPayment) {
    const headers = { 'retry-after': String(thrown.retryAfterSeconds) }
    return failureAnswer('internal', 500, thrown.message, headers)
  }
  if (thrown instanceof RefusedPayment) return failureAnswer('payment', 402, thrown.message, thrown.headers)
  if (isServiceError(thrown))
    return failureAnswer(thrown.errorType, ERROR_STATUS[thrown.errorType], thrown.message)
  if (thrown instanceof TryLater) {
    const headers = { 'retry-after': String(thrown.retryAfterSeconds) }
    return failureAnswer('internal', 503, thrown.message, headers)
  }
  if (thrown instanceof HandlerCutOff) return shuttingDown()
  if (thrown instanceof UnauthorizedAgent) return failureAnswer('payment', 401, thrown.message)
  const job = order && { job: order.jobId, ...fieldsOf(order.traced) }
  log.warn(`unexpected: ${thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown)}`, job)
  return failureAnswer('internal', 500, INTERNAL_ERROR_MESSAGE)
}

/**
 * Logs the line of a refused job (D27). A 500 is skipped: it was already logged, with more detail than the caller gets.
 * Values that the caller sent are removed from the reason, because the logs are read by other people.
 */
export function logRefusal(log: Log, order: JobOrder, thrown: unknown, { status }: Answer): void {
  if (status >= 500 && !(thrown instanceof TryLater)) return
  const errorType = isServiceError(thrown) ? thrown.errorType : status === 503 ? 'internal' : 'payment'
  const reason = thrown instanceof Error ? thrown.message.replace(/, got ["'[{].*$/s, '') : ''
  log.job('refused', order.jobId, {
    status,
    error_type: errorType,
    reason,
    ...fieldsOf(order.traced),
  })
}
