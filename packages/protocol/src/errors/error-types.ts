import { SERVICE_VERSION } from '../version.ts'

/**
 * The one table from `error_type` to HTTP status (interface, "Errors").
 * 401, 404, 405 and 503 reuse a type with another status; they are named where they are answered.
 */
export const ERROR_STATUS = {
  validation: 400,
  capability: 400,
  payment: 402,
  deadline: 408,
  internal: 500,
} as const

/** The five kinds of failure a caller can meet. */
export type ErrorType = keyof typeof ERROR_STATUS

/** The message of every failure whose cause is not the caller's to see (D26). */
export const INTERNAL_ERROR_MESSAGE = 'Internal error'

/** The body of every answer that is neither a 200, nor the bare 402, nor the pending 503 (D15). */
export interface FailureBody {
  readonly status: 'failed'
  readonly error_type: ErrorType
  readonly error: string
  readonly service_version: typeof SERVICE_VERSION
}

/**
 * Makes the body of a failed answer.
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
