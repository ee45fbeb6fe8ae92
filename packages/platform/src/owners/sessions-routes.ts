import { z } from 'zod'
import type { session as sessionShape } from '@farebox/platform-api/owners'
import { sessions as sessionsShape, signedIn, signIn, signInTerms } from '@farebox/platform-api/owners'
import { Refusal } from '../http/refusal.ts'
import { defineRoute, type Route } from '../http/route.ts'
import type { PlatformParts } from '../platform-parts.ts'
import { checkSignIn } from './check-sign-in.ts'
import { sessionCookie } from './session-cookie.ts'
import { beginSession, endSession, listSessions, SESSION_MS, type Session } from './sessions.ts'
import { makeNonce, NONCE_MS, useNonce } from './sign-in-nonces.ts'

const SIGN_INS_PER_MINUTE = 20

/** The routes to sign in with Ethereum (EIP-4361), to sign out, and to manage sessions. */
export function sessionsRoutes(parts: PlatformParts): readonly Route[] {
  const { database, clock } = parts
  const cookie = sessionCookie(parts.settings.publicUrl)
  return [
    nonceRoute(parts),
    signInRoute(parts),
    defineRoute({
      method: 'DELETE',
      path: '/v1/sessions/current',
      summary: 'Signs out: ends the session of this request',
      access: 'owner',
      answers: { 204: { description: 'The session has ended in every process' } },
      handle: async ({ caller }) => {
        await endSession(database, caller.address, caller.sessionId)
        return { status: 204, headers: { 'set-cookie': cookie.clear() } }
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/v1/me/sessions',
      summary: 'Your live sessions, newest first',
      access: 'owner',
      answers: { 200: { description: 'At most 20', schema: sessionsShape } },
      handle: async ({ caller }) => {
        const found = await listSessions(database, caller.address, clock.nowMs())
        return {
          body: {
            sessions: found.map(one => ({
              ...describeSession(one),
              is_current: one.sessionId === caller.sessionId,
            })),
          },
        }
      },
    }),
    defineRoute({
      method: 'DELETE',
      path: '/v1/me/sessions/:sessionId',
      summary: 'Ends one of your sessions',
      access: 'owner',
      params: z.strictObject({ sessionId: z.uuid() }),
      belongsTo: 'account',
      answers: { 204: { description: 'The session has ended in every process' } },
      handle: async ({ params, caller }) => {
        if (await endSession(database, caller.address, params.sessionId)) return { status: 204 }
        throw new Refusal('not_found', 'sessionId: you have no such session')
      },
    }),
  ]
}

function nonceRoute({ database, clock, network, settings }: PlatformParts): Route {
  return defineRoute({
    method: 'POST',
    path: '/v1/sessions/nonces',
    summary: 'A nonce and the other required parts of a sign-in message',
    access: 'public',
    perMinute: SIGN_INS_PER_MINUTE,
    answers: { 201: { description: 'Good once, for five minutes', schema: signInTerms } },
    handle: async () => {
      const nowMs = clock.nowMs()
      const body: z.infer<typeof signInTerms> = {
        nonce: await makeNonce(database, nowMs),
        domain: new URL(settings.publicUrl).host,
        uri: settings.publicUrl,
        version: '1',
        chain_id: network.chainId,
        issued_at: new Date(nowMs).toISOString(),
        expiration_time: new Date(nowMs + NONCE_MS).toISOString(),
      }
      return { status: 201, body }
    },
  })
}

function signInRoute({ database, clock, crypto, network, settings }: PlatformParts): Route {
  const cookie = sessionCookie(settings.publicUrl)
  return defineRoute({
    method: 'POST',
    path: '/v1/sessions',
    summary: 'Signs in with Ethereum: starts a session for the address that signed',
    access: 'public',
    perMinute: SIGN_INS_PER_MINUTE,
    body: signIn,
    answers: { 201: { description: 'Signed in; browsers have the token as a cookie too', schema: signedIn } },
    handle: async ({ body, caller }) => {
      const nowMs = clock.nowMs()
      const rules = { publicUrl: settings.publicUrl, chainId: network.chainId, nowMs }
      const { address, nonce } = checkSignIn(crypto, body, rules)
      if (!(await useNonce(database, nonce, nowMs)))
        throw new Refusal('unauthorized', 'message: the nonce is not ours, was used, or is too old')
      // The former session of this browser ends here, so that no session outlives the sign-in that replaces it.
      const former = caller.kind === 'owner' ? caller.sessionId : undefined
      const begun = await beginSession(database, address, nowMs, former)
      return {
        status: 201,
        headers: { 'set-cookie': cookie.set(begun.token, SESSION_MS / 1_000) },
        body: { ...describeSession(begun), token: begun.token },
      }
    },
  })
}

/** Converts a session to its public form. */
export function describeSession(session: Session): z.infer<typeof sessionShape> {
  return {
    session_id: session.sessionId,
    address: session.address,
    created_at: Math.floor(session.createdAtMs / 1_000),
    used_at: Math.floor(session.usedAtMs / 1_000),
    expires_at: Math.floor(session.expiresAtMs / 1_000),
    origin: session.begunBy === undefined ? 'wallet' : 'terminal',
  }
}
