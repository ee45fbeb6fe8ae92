import { createHash, timingSafeEqual } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { sessionCookie } from '../owners/session-cookie.ts'
import { findSession } from '../owners/sessions.ts'
import type { PlatformParts } from '../platform-parts.ts'
import { Refusal } from '../http/refusal.ts'
import type { Access, Caller } from '../http/route.ts'

/** Identifies the caller of a request and refuses callers without the required access. */
export type FindCaller = (request: FastifyRequest, access: Access) => Promise<Caller>

/**
 * Identifies the caller by the operator's token or a session's token, sent as a bearer token, or by the session cookie. A
 * bearer token takes precedence over the cookie. Browser requests that change something must come from the platform's own
 * pages (WEB-05).
 *
 * The returned function throws a {@link Refusal}: `unauthorized` without a live session or with an invalid token;
 * `forbidden` for a page of another site, and for a known caller without the required access.
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

/** Relies on the `origin` and `sec-fetch-site` headers, which the browser sets and a page cannot forge. */
function refuseForeignPage(request: FastifyRequest, ourOrigin: string): void {
  const { origin, 'sec-fetch-site': site } = request.headers
  if (origin !== undefined && origin !== ourOrigin)
    throw new Refusal('forbidden', 'origin: is another site’s')
  if (site !== undefined && site !== 'same-origin')
    throw new Refusal('forbidden', 'sec-fetch-site: is another site’s')
}

/** Browsers attach a cookie to every request, so the request must show that a page of the platform sent it. */
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

/** Compares in constant time, independent of the length of the input. */
function isSame(one: string, other: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(one), digest(other))
}
