import { ERROR_STATUS, INTERNAL_ERROR_MESSAGE } from '@farebox/protocol/errors/error-types'
import { isServiceError } from '@farebox/protocol/errors/service-errors'
import { failure, type Answer } from '../http/answer.ts'
import type { Log } from '../log.ts'
import { UnauthorizedAgent } from './authorize-agent.ts'
import { RefusedPayment } from './refused-payment.ts'

/** The one place that turns what was thrown into HTTP (D15, D26). What is not meant for the caller goes to the log. */
export function answerError(log: Log, thrown: unknown): Answer {
  if (thrown instanceof RefusedPayment) return failure('payment', 402, thrown.message, thrown.headers)
  if (isServiceError(thrown)) return failure(thrown.errorType, ERROR_STATUS[thrown.errorType], thrown.message)
  if (thrown instanceof UnauthorizedAgent) return failure('payment', 401, thrown.message)
  log.warn(`unexpected: ${thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown)}`)
  return failure('internal', 500, INTERNAL_ERROR_MESSAGE)
}
