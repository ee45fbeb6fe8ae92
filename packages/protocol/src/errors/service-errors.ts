import { ERROR_STATUS, type ErrorType } from './error-types.ts'

/**
 * Registered by name, so that errors thrown by a second copy of this package are recognised too: an agent and a
 * library of its handlers may each have installed their own.
 */
const BRAND = Symbol.for('farebox.service-error')

/**
 * A failure with a place in the interface's error table. Thrown by handlers to answer the caller with their own
 * message (D26); everything else a handler throws becomes `Internal error`.
 *
 * Made with a message, or with the field it is about and the reason: both give `"<field>: <reason>"`.
 *
 * @example
 * ```ts
 * import { isServiceError, ValidationError } from '@farebox/protocol/errors/service-errors'
 *
 * try {
 *   throw new ValidationError('text', 'must not be empty')
 * } catch (error) {
 *   if (!isServiceError(error)) throw error
 *   console.log(error.httpStatus, error.message) // 400 text: must not be empty
 * }
 * ```
 */
export abstract class ServiceError extends Error {
  abstract readonly errorType: ErrorType
  readonly field: string | undefined

  constructor(message: string, options?: ErrorOptions)
  constructor(field: string, reason: string, options?: ErrorOptions)
  constructor(first: string, second?: string | ErrorOptions, third?: ErrorOptions) {
    super(
      typeof second === 'string' ? `${first}: ${second}` : first,
      typeof second === 'string' ? third : second,
    )
    this.name = new.target.name
    this.field = typeof second === 'string' ? first : undefined
    Object.defineProperty(this, BRAND, { value: true })
  }

  /** The HTTP status this failure is answered with. */
  get httpStatus(): number {
    return ERROR_STATUS[this.errorType]
  }
}

/** The input is not what the capability takes: 400 `validation`. */
export class ValidationError extends ServiceError {
  override readonly errorType = 'validation'
}

/** The payment is not good for this job: 402 `payment`. */
export class PaymentError extends ServiceError {
  override readonly errorType = 'payment'
}

/** The job can no longer be done in time: 408 `deadline`. */
export class DeadlineError extends ServiceError {
  override readonly errorType = 'deadline'
}

/** The capability is not one of the agent's: 400 `capability`. */
export class CapabilityError extends ServiceError {
  override readonly errorType = 'capability'
}

/** The agent's own failure, with a message meant for the caller: 500 `internal`. */
export class InternalError extends ServiceError {
  override readonly errorType = 'internal'
}

/** Makes the error of a kind: how a client turns a failed answer back into what the agent threw. */
export function serviceError(errorType: ErrorType, message: string, options?: ErrorOptions): ServiceError {
  switch (errorType) {
    case 'validation':
      return new ValidationError(message, options)
    case 'payment':
      return new PaymentError(message, options)
    case 'deadline':
      return new DeadlineError(message, options)
    case 'capability':
      return new CapabilityError(message, options)
    case 'internal':
      return new InternalError(message, options)
  }
}

/**
 * Is this one of the five typed errors, from whatever copy of this package? Never throws, whatever was thrown:
 * a handler may throw a Proxy.
 */
export function isServiceError(thrown: unknown): thrown is ServiceError {
  try {
    if (typeof thrown !== 'object' || thrown === null || !(BRAND in thrown)) return false
    const { errorType, message } = thrown as Partial<ServiceError>
    return (
      typeof errorType === 'string' && Object.hasOwn(ERROR_STATUS, errorType) && typeof message === 'string'
    )
  } catch {
    return false
  }
}
