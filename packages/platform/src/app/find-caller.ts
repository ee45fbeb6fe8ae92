import { createHash, timingSafeEqual } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { sessionCookie } from '../owners/session-cookie.ts'
import { findSession } from '../owners/sessions.ts'
import type { PlatformParts } from '../platform-parts.ts'
import { Refusal } from '../http/refusal.ts'
import type { Access, Caller } from '../http/route.ts'

/** Says who the caller is, and refuses callers that may not. */
export type FindCaller = (request: FastifyRequest, access: Access) => Promise<Caller>

/**
 * Looks at who asks: the operator's token or a session's, as a bearer, or the session's cookie. Where a bearer is shown
 * it alone counts. Unsafe requests of browsers must come from our own pages (WEB-05).
 *
 * The result throws a {@link Refusal}: `unauthorized` without a live session or with a token that is none, `forbidden`
 * for a foreign page and for who is somebody, but not the one it takes.
 */
export function createFindCaller(parts: Pick<PlatformParts, 'database' | 'clock' | 'settings'>): FindCaller {
  const { database, clock, settings } = parts
  const ourOrigin = new URL(settings.publicUrl).origin
  const cookie = sessionCookie(settings.publicUrl)
  const { operatorToken } = settings

  const identify = async (request: FastifyRequest): Promise<Caller> => {
    const bearer = readBearer(request.headers.authorization)
    if (bearer !== undefined && operatorToken !== undefined && isSame(bearer, operatorToken))
      return { kind: 'operator', ip: request.ip }
    const token = bearer ?? cookie.read(request.headers.cookie)
    if (bearer === undefined && token !== undefined && isUnsafe(request)) requireOwnPage(request)
    const session = token === undefined ? undefined : await findSession(database, token, clock.nowMs())
    if (session !== undefined) {
      const { address, sessionId } = session
      return { kind: 'owner', ip: request.ip, address, sessionId }
    }
    if (bearer !== undefined)
      throw new Refusal('unauthorized', 'authorization: no live session has this token')
    return { kind: 'anonymous', ip: request.ip }
  }

  return async (request, access) => {
    if (isUnsafe(request)) refuseForeignPage(request, ourOrigin)
    const caller = await identify(request)
    if (access === 'public' || caller.kind === access) return caller
    if (caller.kind === 'anonymous') {
      const what = access === 'operator' ? 'the operator’s token' : 'a session: sign in with Ethereum first'
      throw new Refusal('unauthorized', `this needs ${what}`)
    }
    throw new Refusal('forbidden', access === 'operator' ? 'this is the operator’s' : 'this is for owners')
  }
}

function isUnsafe(request: FastifyRequest): boolean {
  return request.method !== 'GET' && request.method !== 'HEAD'
}

/** What a browser says of where a request comes from cannot be set by a page. */
function refuseForeignPage(request: FastifyRequest, ourOrigin: string): void {
  const { origin, 'sec-fetch-site': site } = request.headers
  if (origin !== undefined && origin !== ourOrigin)
    throw new Refusal('forbidden', 'origin: is another site’s')
  if (site !== undefined && site !== 'same-origin')
    throw new Refusal('forbidden', 'sec-fetch-site: is another site’s')
}

/** A cookie comes along by itself, so it must be shown that a page of ours sent it. */
function requireOwnPage(request: FastifyRequest): void {
  const { origin, 'sec-fetch-site': site } = request.headers
  if (origin === undefined && site === undefined)
    throw new Refusal('forbidden', 'origin: is required together with a session cookie')
}

function readBearer(header: string | undefined): string | undefined {
  if (header === undefined) return undefined
  const [, token] = /^bearer +(\S{1,512})$/i.exec(header) ?? []
  if (token === undefined) throw new Refusal('unauthorized', 'authorization: must be "Bearer <token>"')
  return token
}

/** In constant time, whatever the length of what was sent. */
function isSame(one: string, other: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(one), digest(other))
}
