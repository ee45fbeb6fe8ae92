import type { IncomingMessage } from 'node:http'
import type { JsonObject } from '@farebox/protocol/fields/field'
import { isObject, parseJson } from '@farebox/protocol/internal/guards/json'
import type { DevJob } from '@farebox/web/internal/dev-page/wire'
import { isJobId } from '@farebox/protocol/job/job-request'

/** Why a request is not answered; HTTP status and a sentence. */
export interface ForeignRefusal {
  readonly status: 403 | 405 | 415 | 421
  readonly reason: string
}

/**
 * The refusal of a request that did not come from this page itself: any page in the developer's browser can send
 * requests to loopback, also under a name of its own that it lets point here (DNS rebinding). Stricter than the agent,
 * which pages of other ports may call: nothing but this page has a reason to run jobs through it.
 *
 * A link from elsewhere that leads here is followed: the document holds nothing and runs nothing by itself.
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
  // A form of another page can send anything but this type.
  return /^application\/json *(?:;|$)/i.test(headers['content-type'] ?? '')
    ? undefined
    : { status: 415, reason: 'content-type: must be application/json' }
}

function isNavigation(headers: IncomingMessage['headers']): boolean {
  return headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document'
}

/** Reads what the page asks to be run; a string says what is wrong with it. The input is the agent's to check. */
export function readRunRequest(text: string): DevJob | string {
  const body = parseJson(text)
  if (body === undefined) return 'body: must be JSON'
  if (!isObject(body)) return 'body: must be an object'
  const { job_id, capability, input } = body
  if (!isJobId(job_id)) return 'job_id: must be a UUID v4'
  if (typeof capability !== 'string') return 'capability: must be a string'
  if (!isObject(input)) return 'input: must be an object'
  // The body was parsed as JSON.
  return { job_id, capability, input: input as JsonObject }
}
