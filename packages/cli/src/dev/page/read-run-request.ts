import type { JsonObject } from '@farebox/protocol/fields/field'
import { isObject } from '@farebox/protocol/internal/guards/json'
import type { RunRequest } from '@farebox/web/internal/dev-page/wire'
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
  if (!isObject(input)) return 'input: must be an object'
  // The body was parsed as JSON.
  return { job_id, capability, input: input as JsonObject }
}
