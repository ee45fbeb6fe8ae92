import { errors } from 'undici'
import { OutboundFailure, type FailureReason } from './address/outbound-failure.ts'

/** The reason that callers may see, and the detail that only the platform's log may contain. */
export interface ExplainedFailure {
  readonly reason: FailureReason
  readonly detail: string
}

/** Maps any error that ended a call to one of the five reasons (SSRF-08). */
export function explainFailure(error: unknown): ExplainedFailure {
  if (error instanceof OutboundFailure) return { reason: error.reason, detail: error.message }
  const detail = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
  return { reason: reasonOf(error), detail }
}

function reasonOf(error: unknown): FailureReason {
  if (error instanceof errors.HeadersOverflowError) return 'too-large'
  if (error instanceof errors.ResponseExceededMaxSizeError) return 'too-large'
  if (error instanceof errors.HTTPParserError) return 'not-acceptable'
  if (error instanceof errors.ResponseContentLengthMismatchError) return 'not-acceptable'
  if (error instanceof errors.InvalidArgumentError) return 'not-acceptable'
  // undici's errors for an unrequested 100, an unrequested 101, and a response before the request.
  if (error instanceof errors.SocketError && error.message.startsWith('bad ')) return 'not-acceptable'
  return 'unreachable'
}
