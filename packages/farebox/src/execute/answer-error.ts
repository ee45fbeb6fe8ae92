import { ERROR_STATUS, INTERNAL_ERROR_MESSAGE } from '@farebox/protocol/errors/error-types'
import { isServiceError } from '@farebox/protocol/errors/service-errors'
import { failureAnswer, shuttingDown, type Answer } from '../answer/answer.ts'
import type { Log } from '../log.ts'
import type { JobOrder } from './request/job-order.ts'
import { TryLater } from './service/admission.ts'
import { UnauthorizedAgent } from './payment/authorize-agent.ts'
import { RefusedPayment } from './payment/refused-payment.ts'
import { HandlerCutOff } from './run/run-handler.ts'

/** The one place that turns what was thrown into HTTP (D15, D26). What is not meant for the caller goes to the log. */
export function answerError(log: Log, thrown: unknown): Answer {
  if (thrown instanceof RefusedPayment) return failureAnswer('payment', 402, thrown.message, thrown.headers)
  if (isServiceError(thrown))
    return failureAnswer(thrown.errorType, ERROR_STATUS[thrown.errorType], thrown.message)
  if (thrown instanceof TryLater) {
    const headers = { 'retry-after': String(thrown.retryAfterSeconds) }
    return failureAnswer('internal', 503, thrown.message, headers)
  }
  if (thrown instanceof HandlerCutOff) return shuttingDown()
  if (thrown instanceof UnauthorizedAgent) return failureAnswer('payment', 401, thrown.message)
  log.warn(`unexpected: ${thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown)}`)
  return failureAnswer('internal', 500, INTERNAL_ERROR_MESSAGE)
}

/**
 * The line of a job that was refused (D27). What ended in a 500 has had its own, with more than the caller is given. What
 * the caller sent is not in it: its answer quotes that, and logs are read by others.
 */
export function logRefusal(log: Log, order: JobOrder, thrown: unknown, { status }: Answer): void {
  if (status >= 500 && !(thrown instanceof TryLater)) return
  const errorType = isServiceError(thrown) ? thrown.errorType : status === 503 ? 'internal' : 'payment'
  const reason = thrown instanceof Error ? thrown.message.replace(/, got ["'[{].*$/s, '') : ''
  log.job('refused', order.jobId, { status, error_type: errorType, reason })
}
