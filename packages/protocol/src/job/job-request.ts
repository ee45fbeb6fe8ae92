import { isObject } from '../guards/json.ts'
import type { JsonObject } from '../fields/field.ts'
import { MILLISECONDS_LOOK_FROM } from '../limits.ts'
import { SERVICE_VERSION } from '../version.ts'

/** The body of `POST /execute` with a checked form; its input is not checked yet (interface, "Job request"). */
export interface JobRequest {
  readonly service_version: typeof SERVICE_VERSION
  /** As sent; jobs are compared by {@link jobIdKey}. */
  readonly job_id: string
  readonly task: {
    /** Absent: the first declared capability. Any JSON value: an unknown one is refused by name (D21). */
    readonly capability?: unknown
    readonly input: JsonObject
  }
  /** Unix seconds, fractions allowed. */
  readonly deadline: number
}

const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i

/** Is this a canonical UUID v4, in either case (D16)? */
export function isJobId(value: unknown): value is string {
  return typeof value === 'string' && UUID_V4.test(value)
}

/** The key by which jobs are compared: the same for all spellings of a job_id (D16). */
export function jobIdKey(jobId: string): string {
  return jobId.toLowerCase()
}

/**
 * Checks the form of a job request: `service_version`, `job_id`, `task`, `deadline`, in this order (D14, D16).
 *
 * Returns the request, or the first faulty field with the reason. The input is checked later by the capability's own schema,
 * the capability by the agent.
 *
 * @example
 * ```ts
 * import { readJobRequest } from '@farebox/protocol/job/job-request'
 *
 * const read = readJobRequest(JSON.parse('{ "service_version": "1.0", "task": {} }'))
 * if (read.ok) console.log(read.request.job_id)
 * else console.log(`${read.field}: ${read.reason}`) // job_id: is required
 * ```
 */
export function readJobRequest(
  body: unknown,
):
  | { readonly ok: true; readonly request: JobRequest }
  | { readonly ok: false; readonly field: string; readonly reason: string } {
  if (!isObject(body)) return refuse('body', `must be a JSON object, got ${nameOf(body)}`)
  const { service_version, job_id, task, deadline } = body
  if (service_version !== SERVICE_VERSION) {
    return refuse(
      'service_version',
      service_version === undefined
        ? `is required and must be "${SERVICE_VERSION}"`
        : `must be "${SERVICE_VERSION}"`,
    )
  }
  if (job_id === undefined) return refuse('job_id', 'is required')
  if (!isJobId(job_id))
    return refuse('job_id', 'must be a canonical UUID v4, like "3f8a2c1e-9b4d-4f6a-8c2b-1d5e7f9a0b3c"')
  if (task === undefined) return refuse('task', 'is required')
  if (!isObject(task)) return refuse('task', `must be an object, got ${nameOf(task)}`)
  const { input } = task
  if (input === undefined) return refuse('task.input', 'is required')
  if (!isObject(input)) return refuse('task.input', `must be an object, got ${nameOf(input)}`)
  if (deadline === undefined) return refuse('deadline', 'is required')
  if (typeof deadline !== 'number' || !Number.isFinite(deadline)) {
    return refuse('deadline', `must be a finite number of Unix seconds, got ${nameOf(deadline)}`)
  }
  if (deadline >= MILLISECONDS_LOOK_FROM)
    return refuse('deadline', 'must be Unix seconds, this looks like milliseconds')
  const capability = Object.hasOwn(task, 'capability') ? { capability: task['capability'] } : {}
  // The body was parsed as JSON, so the cast is safe.
  const checked = { ...capability, input: input as JsonObject }
  return { ok: true, request: { service_version, job_id, task: checked, deadline } }
}

function nameOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'an array'
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value)
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}

function refuse(
  field: string,
  reason: string,
): { readonly ok: false; readonly field: string; readonly reason: string } {
  return { ok: false, field, reason }
}
