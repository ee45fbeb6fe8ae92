import type { RunRequest } from '@farebox/web/internal/dev-page/wire'
import type { JsonObject } from '@farebox/protocol/fields/field'
import { isJobId } from '@farebox/protocol/job/job-request'

/** Reads what the page asks to be run; a string says what is wrong with it. The input is the agent's to check. */
export function readRunRequest(text: string): RunRequest | string {
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    return 'body: must be JSON'
  }
  if (!isObject(body)) return 'body: must be an object'
  const { job_id, capability, input } = body
  if (!isJobId(job_id)) return 'job_id: must be a UUID v4'
  if (typeof capability !== 'string') return 'capability: must be a string'
  return isObject(input) ? { job_id, capability, input } : 'input: must be an object'
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
