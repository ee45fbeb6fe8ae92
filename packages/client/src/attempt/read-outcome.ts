import { ERROR_STATUS, type ErrorType } from '@farebox/protocol/errors/error-types'
import { serviceError, type ServiceError } from '@farebox/protocol/errors/service-errors'
import type { JsonObject } from '@farebox/protocol/fields/field'
import { jobIdKey } from '@farebox/protocol/job/job-request'
import type { WholeAnswer } from '../exchange/exchange.ts'
import { foreignText } from '../exchange/foreign-text.ts'
import { isObject } from '@farebox/protocol/internal/guards/json'

/** The job is completed. */
export interface Completed {
  readonly kind: 'completed'
  /** As received: not yet checked against its schema. */
  readonly output: JsonObject
  /** Unix seconds; undefined when the agent did not send it. */
  readonly completedAt: number | undefined
}

/** The meaning of a response of `POST /execute`. */
export type Outcome =
  | Completed
  /** A typed failure: according to the interface nothing was charged. */
  | { readonly kind: 'failed'; readonly error: ServiceError }
  /** The 402 that asks for a payment. */
  | { readonly kind: 'payment-required' }
  /** The 503 while the payment may still be charged (D8). */
  | { readonly kind: 'pending' }
  /**
   * The agent is temporarily unavailable: a proxy answered 502, the agent is shutting down, or it could not verify the
   * payment at this moment.
   */
  | { readonly kind: 'unavailable'; readonly reason: string }
  /** A response that no agent following the interface sends. */
  | { readonly kind: 'foreign'; readonly reason: string }

/** Statuses that mean "try again later" rather than "no". */
const NOT_NOW: readonly number[] = [408, 425, 429]

/**
 * Failures that also come with another status than their type's (D11, D15). D32's 503 is not one of them: it is temporary.
 */
const OTHER_STATUS: { readonly [type in ErrorType]?: readonly number[] } = {
  payment: [401],
  validation: [404, 405],
}

/** Classifies a response. Never throws, whatever the bytes. */
export function readOutcome(answer: WholeAnswer, jobId: string): Outcome {
  const { status, json, flaw } = answer
  if (status === 200) return readCompleted(answer, jobId)
  if (status === 503 && isPending(json, jobId)) return { kind: 'pending' }
  const error = isTemporary(answer) ? undefined : readFailure(status, json)
  if (error !== undefined) return { kind: 'failed', error }
  if (status === 402 && isPaymentRequired(answer)) return { kind: 'payment-required' }
  const reason = `HTTP ${status}${flaw === undefined ? '' : `, whose body ${flaw}`}`
  if (status >= 500 || NOT_NOW.includes(status)) return { kind: 'unavailable', reason }
  return { kind: 'foreign', reason }
}

function readCompleted({ json, flaw }: WholeAnswer, jobId: string): Outcome {
  const foreign = (reason: string): Outcome => ({ kind: 'foreign', reason: `HTTP 200, whose body ${reason}` })
  if (flaw !== undefined) return foreign(flaw)
  if (!isObject(json) || json['status'] !== 'completed') return foreign('is not a completed job')
  const { output, completed_at: completedAt } = json
  if (!isJob(json['job_id'], jobId)) return foreign('is of another job')
  if (!isObject(output)) return foreign('has no output')
  return {
    kind: 'completed',
    // Parsed from JSON, so the object contains only JSON values.
    output: output as JsonObject,
    completedAt: typeof completedAt === 'number' ? completedAt : undefined,
  }
}

/**
 * A 500 with `Retry-After` says that the payment could not be verified at this moment: the same one is good until the
 * job's deadline, which the agent answers 408. Any other 500 is final, because its repeat would run a failing handler
 * again.
 */
function isTemporary({ status, headers }: WholeAnswer): boolean {
  return status === 500 && headers.has('retry-after')
}

function isPending(json: unknown, jobId: string): boolean {
  return isObject(json) && json['status'] === 'pending' && isJob(json['job_id'], jobId)
}

function readFailure(status: number, json: unknown): ServiceError | undefined {
  if (!isObject(json) || json['status'] !== 'failed') return undefined
  const { error_type, error } = json
  if (!isErrorType(error_type)) return undefined
  const documented = [ERROR_STATUS[error_type], ...(OTHER_STATUS[error_type] ?? [])]
  if (!documented.includes(status)) return undefined
  const message = typeof error === 'string' && error !== '' ? foreignText(error) : `failed: ${error_type}`
  return serviceError(error_type, message)
}

function isPaymentRequired({ headers, json }: WholeAnswer): boolean {
  return headers.has('payment-required') || (isObject(json) && Array.isArray(json['accepts']))
}

function isErrorType(value: unknown): value is ErrorType {
  return typeof value === 'string' && Object.hasOwn(ERROR_STATUS, value)
}

function isJob(echoed: unknown, jobId: string): boolean {
  return typeof echoed === 'string' && jobIdKey(echoed) === jobIdKey(jobId)
}
