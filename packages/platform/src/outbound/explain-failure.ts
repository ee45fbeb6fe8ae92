import { errors } from 'undici'
import { OutboundFailure, type FailureReason } from './address/outbound-failure.ts'

/** What callers see of an error, and what only our log may hold. */
export interface ExplainedFailure {
  readonly reason: FailureReason
  readonly detail: string
}

/** One of the five reasons for whatever ended a call (SSRF-08). */
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
  // undici's words for 100 without being asked, 101 without being asked, and an answer before the request.
  if (error instanceof errors.SocketError && error.message.startsWith('bad ')) return 'not-acceptable'
  return 'unreachable'
}
