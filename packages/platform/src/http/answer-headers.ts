import type { FastifyReply } from 'fastify'
import type { Access } from './route.ts'

/** Headers of every answer. A page that needs a wider policy sets its own. */
const ALWAYS: readonly (readonly [name: string, value: string])[] = [
  ['x-content-type-options', 'nosniff'],
  ['content-security-policy', "default-src 'none'; frame-ancestors 'none'"],
  ['referrer-policy', 'no-referrer'],
  ['x-frame-options', 'DENY'],
]

/** One year. */
const STRICT_TRANSPORT = 'max-age=31536000'

/** Adds the headers that the answer does not have yet. */
export function addAnswerHeaders(reply: FastifyReply, secure: boolean): void {
  for (const [name, value] of ALWAYS) if (!reply.hasHeader(name)) reply.header(name, value)
  if (secure && !reply.hasHeader('strict-transport-security'))
    reply.header('strict-transport-security', STRICT_TRANSPORT)
  if (!reply.hasHeader('cache-control')) reply.header('cache-control', 'no-store')
}

/** Whether pages of other sites may read the answer: only public routes without side effects. */
export function isReadByAnyPage(route: { readonly access: Access; readonly method: string }): boolean {
  return route.access === 'public' && route.method === 'GET'
}

/** Headers that let a page of another site read an answer. */
export const CROSS_ORIGIN = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'retry-after, x-request-id',
} as const

/** The answer to a CORS preflight: allows reads without credentials. */
export const PREFLIGHT = {
  ...CROSS_ORIGIN,
  'access-control-allow-methods': 'GET, HEAD',
  'access-control-allow-headers': 'content-type, job-token, last-event-id, traceparent',
  'access-control-max-age': '86400',
} as const
