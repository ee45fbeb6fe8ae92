import { INTERNAL_ERROR_MESSAGE, type ErrorType } from '@farebox/protocol/errors/error-types'
import {
  InternalError,
  isServiceError,
  serviceError,
  type ServiceError,
} from '@farebox/protocol/errors/service-errors'
import type { Log } from '../log.ts'
import { describeThrown, placeThrown } from './describe-thrown.ts'

/** What a handler threw, as texts: safe to look at, and fit to come from another process. */
export interface HandlerFailure {
  /** For the log. */
  readonly logText: string
  /** `handlers.ts:12:9`, where that is known. */
  readonly at: string | undefined
  /** One of the five typed errors; undefined for everything else. */
  readonly typed: { readonly errorType: ErrorType; readonly message: string } | undefined
}

/** Looks at what was thrown, once. Never throws: even `instanceof` runs code of a Proxy, and a getter may change its mind. */
export function describeFailure(thrown: unknown): HandlerFailure {
  return { logText: describeThrown(thrown), at: placeThrown(thrown), typed: readTyped(thrown) }
}

/** The line of the log (D26). */
export function logFailure(log: Log, jobId: string, { logText, at }: HandlerFailure): void {
  log.job(`handler error: ${logText}`, jobId, at === undefined ? {} : { at })
}

/** What was thrown when its job was over, or that is nobody's. */
export function logStray(log: Log, { logText, at }: HandlerFailure, jobId: string | undefined): void {
  const place = at === undefined ? {} : { at }
  if (jobId === undefined) log.warn(`an uncaught error in the handlers: ${logText}`, place)
  else log.job(`handler error: ${logText}`, jobId, { ...place, after: 'its end' })
}

/** What goes on from it: the handler's typed error, or the generic one. */
export function failureError({ typed }: HandlerFailure): ServiceError {
  return typed === undefined
    ? new InternalError(INTERNAL_ERROR_MESSAGE)
    : serviceError(typed.errorType, typed.message)
}

function readTyped(thrown: unknown): HandlerFailure['typed'] {
  try {
    if (!isServiceError(thrown)) return undefined
    // Made again: what was a text when it was first asked for need not be one again.
    const { errorType, message } = serviceError(thrown.errorType, thrown.message)
    return { errorType, message }
  } catch {
    // It was one when it was first looked at, and threw when it was looked at again.
  }
  return undefined
}
