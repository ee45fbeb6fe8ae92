import { ERROR_STATUS, type ErrorType } from './error-types.ts'

/**
 * A registered symbol, so that errors thrown by a second copy of this package are recognised too: an agent and a library of
 * its handlers may each have installed their own.
 */
const BRAND = Symbol.for('farebox.service-error')

/**
 * A failure with an entry in the interface's error table. Handlers throw it to send their own message to the caller (D26);
 * any other error of a handler becomes `Internal error`.
 *
 * Created with a message, or with a field and a reason: the latter gives `"<field>: <reason>"`.
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

  /** The HTTP status of the response. */
  get httpStatus(): number {
    return ERROR_STATUS[this.errorType]
  }
}

/** The input does not match the capability: 400 `validation`. */
export class ValidationError extends ServiceError {
  override readonly errorType = 'validation'
}

/** The payment is not valid for this job: 402 `payment`. */
export class PaymentError extends ServiceError {
  override readonly errorType = 'payment'
}

/** The job cannot be done in time any more: 408 `deadline`. */
export class DeadlineError extends ServiceError {
  override readonly errorType = 'deadline'
}

/** The agent has no such capability: 400 `capability`. */
export class CapabilityError extends ServiceError {
  override readonly errorType = 'capability'
}

/** A failure of the agent itself, with a message meant for the caller: 500 `internal`. */
export class InternalError extends ServiceError {
  override readonly errorType = 'internal'
}

/** Creates the error of a kind: a client uses it to turn a failure response back into the error that the agent threw. */
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
 * Is this one of the five typed errors, from any copy of this package? Never throws, whatever was thrown: a handler may
 * throw a Proxy.
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
