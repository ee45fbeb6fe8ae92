import { INTERNAL_ERROR_MESSAGE, type ErrorType } from '@farebox/protocol/errors/error-types'
import {
  InternalError,
  isServiceError,
  serviceError,
  type ServiceError,
} from '@farebox/protocol/errors/service-errors'
import type { Log } from '../log.ts'
import { describeThrown, placeThrown } from './describe-thrown.ts'

/** A thrown value as texts, which can be read safely and sent between processes. */
export interface HandlerFailure {
  /** For the log. */
  readonly logText: string
  /** The place in the author's files, `handlers.ts:12:9`, when it is known. */
  readonly at: string | undefined
  /** One of the five typed errors; undefined for everything else. */
  readonly typed: { readonly errorType: ErrorType; readonly message: string } | undefined
}

/**
 * Reads the thrown value once. Never throws: even `instanceof` runs code of a Proxy, and a getter may return different
 * values.
 */
export function describeFailure(thrown: unknown): HandlerFailure {
  return { logText: describeThrown(thrown), at: placeThrown(thrown), typed: readTyped(thrown) }
}

/** Writes the log line of a handler error (D26). */
export function logFailure(log: Log, jobId: string, { logText, at }: HandlerFailure): void {
  log.job(`handler error: ${logText}`, jobId, at === undefined ? {} : { at })
}

/** Logs an error that was thrown after its job ended, or that belongs to no known job. */
export function logStray(log: Log, { logText, at }: HandlerFailure, jobId: string | undefined): void {
  const place = at === undefined ? {} : { at }
  if (jobId === undefined) log.warn(`an uncaught error in the handlers: ${logText}`, place)
  else log.job(`handler error: ${logText}`, jobId, { ...place, after: 'its end' })
}

/** The error for the caller: the handler's typed error, or the generic one. */
export function failureError({ typed }: HandlerFailure): ServiceError {
  return typed === undefined
    ? new InternalError(INTERNAL_ERROR_MESSAGE)
    : serviceError(typed.errorType, typed.message)
}

function readTyped(thrown: unknown): HandlerFailure['typed'] {
  try {
    if (!isServiceError(thrown)) return undefined
    // A new error is made from it, because the message may not be a string when it is read again.
    const { errorType, message } = serviceError(thrown.errorType, thrown.message)
    return { errorType, message }
  } catch {
    // It looked like a typed error at first, but reading it threw.
  }
  return undefined
}
