import type { Declaration } from '@farebox/protocol/declaration/declaration'
import type { JsonObject } from '@farebox/protocol/fields/field'
import { isJobId } from '@farebox/protocol/job/job-request'
import { SERVICE_VERSION } from '@farebox/protocol/version'
import type { KnownAgent } from '../agent/agent.ts'

/** One job: all of it that is fixed before anybody is asked. */
export interface PlannedJob {
  /** Base URL, without a slash at its end. */
  readonly agentUrl: string
  readonly declaration: Declaration
  readonly jobId: string
  readonly capability: string
  readonly input: JsonObject
  /** From when the request is written. */
  readonly deadlineSeconds: number
}

/** An authorization lives a day at most (D5); no job of the interface comes near half of it. */
const LONGEST_DEADLINE_SECONDS = 43_200

/**
 * Fixes what a job is called and how long it may take: a new job_id and the agent's `max_deadline_seconds`,
 * unless the caller chose.
 *
 * @throws {TypeError | RangeError} for a choice that cannot be right
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

/** The body of a job's request. `deadline` is in Unix seconds. */
export function jobBody({ jobId, capability, input }: PlannedJob, deadline: number): string {
  const task = { capability, input }
  return JSON.stringify({ service_version: SERVICE_VERSION, job_id: jobId, task, deadline })
}
