import { SERVICE_VERSION } from '../version.ts'

/**
 * The only table from `error_type` to HTTP status (interface, "Errors"). 401, 404, 405 and 503 use a type with another
 * status; the code that sends them sets it.
 */
export const ERROR_STATUS = {
  validation: 400,
  capability: 400,
  payment: 402,
  deadline: 408,
  internal: 500,
} as const

/** The five kinds of failure that a caller can receive. */
export type ErrorType = keyof typeof ERROR_STATUS

/** The message of every failure whose cause must not be shown to the caller (D26). */
export const INTERNAL_ERROR_MESSAGE = 'Internal error'

/** The body of every response other than a 200, the 402 that asks for a payment, and the pending 503 (D15). */
export interface FailureBody {
  readonly status: 'failed'
  readonly error_type: ErrorType
  readonly error: string
  readonly service_version: typeof SERVICE_VERSION
}

/**
 * Creates the body of a failure response.
 *
 * @example
 * ```ts
 * import { ERROR_STATUS, failureBody } from '@farebox/protocol/errors/error-types'
 *
 * const answer = Response.json(failureBody('deadline', 'the deadline has passed'), {
 *   status: ERROR_STATUS.deadline, // 408
 * })
 * console.log(answer.status)
 * ```
 */
export function failureBody(errorType: ErrorType, error: string): FailureBody {
  return { status: 'failed', error_type: errorType, error, service_version: SERVICE_VERSION }
}
