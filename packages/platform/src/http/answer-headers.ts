import type { FastifyReply } from 'fastify'
import type { Access } from './route.ts'

/** What every answer carries; a page of ours that needs more of a browser sets its own policy. */
const ALWAYS: readonly (readonly [name: string, value: string])[] = [
  ['x-content-type-options', 'nosniff'],
  ['content-security-policy', "default-src 'none'; frame-ancestors 'none'"],
  ['referrer-policy', 'no-referrer'],
  ['x-frame-options', 'DENY'],
]

/** A year. */
const STRICT_TRANSPORT = 'max-age=31536000'

/** Sets what the answer does not carry yet. */
export function addAnswerHeaders(reply: FastifyReply, secure: boolean): void {
  for (const [name, value] of ALWAYS) if (!reply.hasHeader(name)) reply.header(name, value)
  if (secure && !reply.hasHeader('strict-transport-security'))
    reply.header('strict-transport-security', STRICT_TRANSPORT)
  if (!reply.hasHeader('cache-control')) reply.header('cache-control', 'no-store')
}

/** May any page read this? Only what anybody may, and what changes nothing. */
export function isReadByAnyPage(route: { readonly access: Access; readonly method: string }): boolean {
  return route.access === 'public' && route.method === 'GET'
}

/** What browsers need before they let another site's page read an answer. */
export const CROSS_ORIGIN = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'retry-after, x-request-id',
} as const

/** What a preflight is answered: reads, without credentials. */
export const PREFLIGHT = {
  ...CROSS_ORIGIN,
  'access-control-allow-methods': 'GET, HEAD',
  'access-control-allow-headers': 'content-type, job-token, last-event-id',
  'access-control-max-age': '86400',
} as const
