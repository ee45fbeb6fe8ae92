import { z } from 'zod'
import {
  browserSignInCode,
  browserSignInOffered,
  browserSignInOpened,
  browserSignInOpening,
  browserSignInWaiting,
  session as sessionShape,
} from '@farebox/platform-api/owners'
import { Refusal } from '../../http/refusal.ts'
import { defineRoute, type Caller, type Route } from '../../http/route.ts'
import type { PlatformParts } from '../../platform-parts.ts'
import { browserSignInCookie, sessionCookie } from '../session-cookie.ts'
import { describeSession } from '../sessions-routes.ts'
import {
  BROWSER_SIGN_IN_MS,
  claimSignIn,
  confirmSignIn,
  offerSignIn,
  openSignIn,
} from './browser-sign-ins.ts'

const PER_MINUTE = 20

const withCookie = z.object({ cookie: z.string().optional() })
const withBearer = z.object({ authorization: z.string().optional() })

/**
 * The routes of `farebox login --browser`, by which a session of a terminal signs a browser in. The link alone is not
 * sufficient: the browser that opens it first shows a code, and the user types this code in the terminal. So neither a
 * person who sees the link nor one who sends a link of their own gains anything.
 */
export function browserSignInRoutes(parts: PlatformParts): readonly Route[] {
  return [...terminalRoutes(parts), openRoute(parts), claimRoute(parts)]
}

function terminalRoutes({ database, clock }: PlatformParts): readonly Route[] {
  return [
    defineRoute({
      method: 'POST',
      path: '/v1/me/browser-sign-ins',
      summary: 'A link that signs a browser in as you, once you have typed its code',
      access: 'owner',
      perMinute: PER_MINUTE,
      headers: withBearer,
      answers: { 201: { description: 'Good for two minutes', schema: browserSignInOffered } },
      handle: async ({ headers, caller }) => {
        requireTerminal(headers)
        const { linkId, expiresAtMs } = await offerSignIn(database, caller.sessionId, clock.nowMs())
        return { status: 201, body: { link_id: linkId, expires_at: Math.floor(expiresAtMs / 1_000) } }
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/v1/me/browser-sign-ins/confirm',
      summary: 'Confirms the browser that shows this code',
      access: 'owner',
      perMinute: PER_MINUTE,
      headers: withBearer,
      body: browserSignInCode,
      answers: { 204: { description: 'The browser is signed in with its next request' } },
      handle: async ({ headers, body, caller }) => {
        requireTerminal(headers)
        await confirmSignIn(database, caller.sessionId, body.code, clock.nowMs())
        return { status: 204 }
      },
    }),
  ]
}

function openRoute({ database, clock, settings }: PlatformParts): Route {
  const cookie = browserSignInCookie(settings.publicUrl)
  return defineRoute({
    method: 'POST',
    path: '/v1/browser-sign-ins',
    summary: 'Opens the link of farebox login --browser: the first browser alone is shown its code',
    access: 'public',
    perMinute: PER_MINUTE,
    headers: withCookie,
    body: browserSignInOpening,
    answers: { 200: { description: 'To be typed in the terminal', schema: browserSignInOpened } },
    handle: async ({ body, headers, caller }) => {
      refuseSignedIn(caller)
      const asked = { linkId: body.link_id, browser: cookie.read(headers.cookie) }
      const { address, code, expiresAtMs, browser } = await openSignIn(database, asked, clock.nowMs())
      return {
        headers: { 'set-cookie': cookie.set(browser, BROWSER_SIGN_IN_MS / 1_000) },
        body: { address, code, expires_at: Math.floor(expiresAtMs / 1_000) },
      }
    },
  })
}

function claimRoute({ database, clock, settings }: PlatformParts): Route {
  const binding = browserSignInCookie(settings.publicUrl)
  const cookie = sessionCookie(settings.publicUrl)
  return defineRoute({
    method: 'POST',
    path: '/v1/browser-sign-ins/claim',
    summary: 'Signs in the browser that opened the link, once its code was typed',
    access: 'public',
    headers: withCookie,
    answers: {
      200: { description: 'The code has not been typed yet', schema: browserSignInWaiting },
      201: { description: 'Signed in, by cookie', schema: sessionShape },
    },
    handle: async ({ headers, caller }) => {
      refuseSignedIn(caller)
      const browser = binding.read(headers.cookie)
      if (browser === undefined) throw new Refusal('not_found', 'this browser has opened no link')
      const nowMs = clock.nowMs()
      const begun = await claimSignIn(database, browser, nowMs)
      if (begun === undefined) return { body: { state: 'waiting' } }
      const { token, ...session } = begun
      const seconds = Math.floor((session.expiresAtMs - nowMs) / 1_000)
      return {
        status: 201,
        headers: { 'set-cookie': cookie.set(token, seconds) },
        body: describeSession(session),
      }
    },
  })
}

/**
 * Requires a bearer token: a script in a page has the session of the cookie, and could otherwise create further
 * sessions from it.
 */
function requireTerminal({ authorization }: z.infer<typeof withBearer>): void {
  if (authorization === undefined)
    throw new Refusal('forbidden', 'authorization: a terminal signs browsers in, by its bearer token')
}

/** Refuses a browser that is signed in, so that following a link never changes its user. */
function refuseSignedIn(caller: Caller): void {
  if (caller.kind === 'owner')
    throw new Refusal('conflict', `this browser is signed in as ${caller.address}; sign out first`)
}
