import type { Declaration } from '@farebox/protocol/declaration/declaration'
import type { JsonObject } from '@farebox/protocol/fields/field'
import { isJobId } from '@farebox/protocol/job/job-request'
import { SERVICE_VERSION } from '@farebox/protocol/version'
import type { KnownAgent } from '../agent/agent.ts'

/** A job, with everything that is fixed before the first request. */
export interface PlannedJob {
  /** Base URL without a trailing slash. */
  readonly agentUrl: string
  readonly declaration: Declaration
  readonly jobId: string
  readonly capability: string
  readonly input: JsonObject
  /** Counted from when the request is written. */
  readonly deadlineSeconds: number
}

/** An authorization is valid for a day at most (D5); no job of the interface takes nearly half of it. */
const LONGEST_DEADLINE_SECONDS = 43_200

/**
 * Determines the id and the deadline of a job: a new job_id and the agent's `max_deadline_seconds`, unless the caller chose
 * them.
 *
 * @throws {TypeError | RangeError} for invalid values of the caller
 */
export function planJob(
  known: KnownAgent,
  task: { readonly capability: string; readonly input: JsonObject },
  chosen: { readonly jobId?: string; readonly deadlineSeconds?: number },
): PlannedJob {
  const { jobId = globalThis.crypto.randomUUID() } = chosen
  const { deadlineSeconds = known.declaration.max_deadline_seconds } = chosen
  if (!isJobId(jobId)) throw new TypeError('jobId: must be a canonical UUID v4')
  if (!(deadlineSeconds > 0 && deadlineSeconds <= LONGEST_DEADLINE_SECONDS)) {
    throw new RangeError(`deadlineSeconds: must be more than 0 and at most ${LONGEST_DEADLINE_SECONDS}`)
  }
  return { agentUrl: known.url, declaration: known.declaration, jobId, deadlineSeconds, ...task }
}

/** The request body of a job. `deadline` is in Unix seconds. */
export function jobBody({ jobId, capability, input }: PlannedJob, deadline: number): string {
  const task = { capability, input }
  return JSON.stringify({ service_version: SERVICE_VERSION, job_id: jobId, task, deadline })
}
