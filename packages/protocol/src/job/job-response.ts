import type { JsonObject } from '../fields/field.ts'
import { SERVICE_VERSION } from '../version.ts'

/**
 * The 200 body (interface, "Job success response").
 *
 * @example
 * ```ts
 * import type { JobPending, JobSuccess } from '@farebox/protocol/job/job-response'
 *
 * export function describeJob(body: JobSuccess | JobPending): string {
 *   return body.status === 'completed' ? JSON.stringify(body.output) : `not known yet: ${body.error}`
 * }
 * ```
 */
export interface JobSuccess {
  readonly service_version: typeof SERVICE_VERSION
  /** Spelled as in the request. */
  readonly job_id: string
  readonly status: 'completed'
  readonly output: JsonObject
  /** Unix seconds. */
  readonly completed_at: number
}

/**
 * The 503 body while the payment may still be charged (D8): neither a failure nor a success yet. Repeat the request with the
 * same job_id and the same payment header; never sign another payment meanwhile.
 */
export interface JobPending {
  readonly status: 'pending'
  readonly job_id: string
  readonly error: string
  readonly service_version: typeof SERVICE_VERSION
}

const SETTLEMENT_UNKNOWN = 'settlement is not yet known: repeat the same job_id with the same payment header'

/** Creates the pending body; `error` says what is pending if it is not the settlement. */
export function jobPending(jobId: string, error: string = SETTLEMENT_UNKNOWN): JobPending {
  return {
    status: 'pending',
    job_id: jobId,
    error,
    service_version: SERVICE_VERSION,
  }
}
