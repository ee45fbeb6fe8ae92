import type { IncomingMessage } from 'node:http'
import type { JsonObject } from '@farebox/protocol/fields/field'
import { isObject, parseJson } from '@farebox/protocol/internal/guards/json'
import type { DevJob } from '@farebox/web/internal/dev-page/wire'
import { isJobId } from '@farebox/protocol/job/job-request'

/** Why a request is refused: an HTTP status and a sentence. */
export interface ForeignRefusal {
  readonly status: 403 | 405 | 415 | 421
  readonly reason: string
}

/**
 * Refuses a request that did not come from this page. Any page in the developer's browser can send requests to loopback,
 * also under its own host name that resolves to it (DNS rebinding). The check is stricter than the agent's, which accepts
 * pages on other ports, because only this page has a reason to run jobs through it.
 *
 * Following a link from another site to this page is allowed: the document contains no data and runs nothing by itself.
 */
export function refuseForeignPage(
  { method, headers }: Pick<IncomingMessage, 'method' | 'headers'>,
  port: number,
): ForeignRefusal | undefined {
  const { host, origin } = headers
  const own = ['127.0.0.1', 'localhost', '[::1]'].map(name => `${name}:${port}`)
  if (host === undefined || !own.includes(host.toLowerCase()))
    return { status: 421, reason: `Host: must be ${own[0]}, like the page's own` }
  if (origin !== undefined && origin !== `http://${host.toLowerCase()}`)
    return { status: 403, reason: 'Origin: must be this page' }
  const site = headers['sec-fetch-site']
  const isOwn = site === undefined || site === 'same-origin' || site === 'none'
  if (!isOwn && !(method === 'GET' && isNavigation(headers)))
    return { status: 403, reason: 'Sec-Fetch-Site: must be this page' }
  if (method === 'GET') return undefined
  if (method !== 'POST') return { status: 405, reason: 'GET and POST are answered' }
  // A form of another page cannot send this content type.
  return /^application\/json *(?:;|$)/i.test(headers['content-type'] ?? '')
    ? undefined
    : { status: 415, reason: 'content-type: must be application/json' }
}

function isNavigation(headers: IncomingMessage['headers']): boolean {
  return headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document'
}

/**
 * Reads the job that the page wants to run; returns a string that says what is wrong with it. The agent validates the
 * input.
 */
export function readRunRequest(text: string): DevJob | string {
  const body = parseJson(text)
  if (body === undefined) return 'body: must be JSON'
  if (!isObject(body)) return 'body: must be an object'
  const { job_id, capability, input } = body
  if (!isJobId(job_id)) return 'job_id: must be a UUID v4'
  if (typeof capability !== 'string') return 'capability: must be a string'
  if (!isObject(input)) return 'input: must be an object'
  // The body was parsed from JSON.
  return { job_id, capability, input: input as JsonObject }
}
