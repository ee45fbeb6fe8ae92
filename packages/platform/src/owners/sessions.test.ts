import type { signInTerms } from '@farebox/platform-api/owners'
import type { FastifyInstance, InjectOptions, LightMyRequestResponse } from 'fastify'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { z } from 'zod'
import { createApp } from '../app/create-app.ts'
import { answersAsDocumented } from '../test-setup/answers-as-documented.ts'
import { makeWallet, signedInAs, signInMessage, type TestWallet } from '../test-setup/sign-in.ts'
import { stagePlatform, type Stage } from '../test-setup/stage-platform.ts'
import { ownersRoutes } from './owners-routes.ts'
import { SESSION_IDLE_MS, SESSION_MS } from './sessions.ts'

const PUBLIC_URL = 'https://platform.example:8443'
const OWN_PAGE = { origin: PUBLIC_URL, 'sec-fetch-site': 'same-origin' }
const COOKIE = '__Host-farebox_session'
const MINUTE_MS = 60_000

let stage: Stage
let app: FastifyInstance
let ask: (request: InjectOptions) => Promise<LightMyRequestResponse>
let wallet: TestWallet

beforeAll(async () => {
  stage = await stagePlatform({ settings: { publicUrl: PUBLIC_URL, localMode: false } })
  const routes = ownersRoutes(stage.parts)
  app = createApp(stage.parts, routes)
  ask = answersAsDocumented(app, routes)
  wallet = makeWallet(stage.parts.crypto)
})
afterAll(async () => {
  await app.close()
  await stage.close()
})

async function signInWell(headers: { [name: string]: string } = {}): Promise<LightMyRequestResponse> {
  // More sign-ins than an address may make in a minute.
  stage.clock.pass(MINUTE_MS)
  const terms = (await ask({ method: 'POST', url: '/v1/sessions/nonces' })).json<
    z.infer<typeof signInTerms>
  >()
  const message = signInMessage(wallet, terms)
  const payload = { message, signature: wallet.personalSign(message) }
  return await ask({ method: 'POST', url: '/v1/sessions', payload, headers })
}

function cookieOf(answer: LightMyRequestResponse): string {
  return String(answer.headers['set-cookie']).split(';')[0] ?? ''
}

describe('WEB-05 with the cookie', () => {
  const cases: readonly (readonly [what: string, headers: { [name: string]: string }, status: number])[] = [
    ['our own page', OWN_PAGE, 204],
    ['an older browser on our page', { origin: PUBLIC_URL }, 204],
    ['a browser without Origin on our page', { 'sec-fetch-site': 'same-origin' }, 204],
    ['a cross-site form', { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }, 403],
    ['a subdomain', { origin: 'https://x.platform.example:8443', 'sec-fetch-site': 'same-site' }, 403],
    [
      'the same host on another port',
      { origin: 'https://platform.example', 'sec-fetch-site': 'same-site' },
      403,
    ],
    ['a sandboxed frame', { origin: 'null', 'sec-fetch-site': 'cross-site' }, 403],
    ['an origin of ours with a foreign site', { origin: PUBLIC_URL, 'sec-fetch-site': 'cross-site' }, 403],
    ['neither header', {}, 403],
  ]
  test.each(cases)('%s', async (_, headers, status) => {
    const cookie = cookieOf(await signInWell())
    const answer = await ask({
      method: 'DELETE',
      url: '/v1/sessions/current',
      headers: { cookie, ...headers },
    })
    expect(answer.statusCode).toBe(status)
    const after = await ask({ method: 'GET', url: '/v1/me', headers: { cookie } })
    expect(after.statusCode).toBe(status === 204 ? 401 : 200)
  })

  test('a form cannot be posted: the content type must be JSON', async () => {
    const cookie = cookieOf(await signInWell())
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
    ]) {
      const answer = await ask({
        method: 'POST',
        url: '/v1/me/secrets',
        payload: '{}',
        headers: {
          cookie,
          ...OWN_PAGE,
          'content-type': type,
        },
      })
      expect(answer.statusCode).toBe(415)
    }
  })

  test('another site cannot sign a browser in as another owner', async () => {
    const answer = await signInWell({ origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' })
    expect(answer.statusCode).toBe(403)
    expect(answer.headers['set-cookie']).toBeUndefined()
  })

  test('a page of another site cannot read an owner’s data', async () => {
    const headers = { origin: 'https://evil.example', cookie: cookieOf(await signInWell()) }
    const answer = await ask({ method: 'GET', url: '/v1/me', headers })
    expect(answer.headers['access-control-allow-origin']).toBeUndefined()
    const preflight = await ask({ method: 'OPTIONS', url: '/v1/me', headers })
    expect(preflight.headers['access-control-allow-origin']).toBeUndefined()
  })

  test('two cookies of one name are ignored', async () => {
    const cookie = cookieOf(await signInWell())
    const both = `${COOKIE}=fbs_${'a'.repeat(43)}; ${cookie}`
    expect((await ask({ method: 'GET', url: '/v1/me', headers: { cookie: both } })).statusCode).toBe(401)
  })
})

describe('WEB-06 a session', () => {
  const me = async (headers: { [name: string]: string }): Promise<number> =>
    (await ask({ method: 'GET', url: '/v1/me', headers })).statusCode

  test('has a new id at each sign-in, and the former one of the same browser ends', async () => {
    const first = cookieOf(await signInWell())
    const second = cookieOf(await signInWell({ cookie: first, ...OWN_PAGE }))
    expect(second).not.toBe(first)
    expect([await me({ cookie: first }), await me({ cookie: second })]).toEqual([401, 200])
  })

  test('cannot be chosen by planting a cookie', async () => {
    const planted = `${COOKIE}=fbs_${'A'.repeat(43)}`
    const cookie = cookieOf(await signInWell({ cookie: planted, ...OWN_PAGE }))
    expect(cookie).not.toBe(planted)
    expect(await me({ cookie: planted })).toBe(401)
  })

  test('is invalid after signing out', async () => {
    const answer = await signInWell()
    const { token } = answer.json<{ token: string }>()
    const headers = { authorization: `Bearer ${token}` }
    const out = await ask({ method: 'DELETE', url: '/v1/sessions/current', headers })
    expect(out.statusCode).toBe(204)
    expect(out.headers['set-cookie']).toEqual([
      expect.stringMatching(/^__Host-farebox_session=; .*Max-Age=0$/),
      expect.stringMatching(/^farebox_signed_in=1; .*Max-Age=0$/),
    ])
    expect([await me(headers), await me({ cookie: cookieOf(answer) })]).toEqual([401, 401])
  })

  test('lasts two hours unused and a day in all', async () => {
    const idle = await signedInAs(stage.parts, wallet.address)
    stage.clock.pass(SESSION_IDLE_MS - 1_000)
    expect(await me(idle)).toBe(200)
    stage.clock.pass(SESSION_IDLE_MS + MINUTE_MS)
    expect(await me(idle)).toBe(401)
    const busy = await signedInAs(stage.parts, wallet.address)
    for (let usedMs = 0; usedMs < SESSION_MS - 3_600_000; usedMs += 3_600_000) {
      stage.clock.pass(3_600_000)
      expect(await me(busy)).toBe(200)
    }
    stage.clock.pass(3_600_000)
    expect(await me(busy)).toBe(401)
  })

  test('can be ended from another one, and both are listed', async () => {
    const owner = makeWallet(stage.parts.crypto)
    const [one, other] = [
      await signedInAs(stage.parts, owner.address),
      await signedInAs(stage.parts, owner.address),
    ]
    const list = async (): Promise<{ session_id: string; is_current: boolean }[]> =>
      (await ask({ method: 'GET', url: '/v1/me/sessions', headers: one })).json<{
        sessions: { session_id: string; is_current: boolean }[]
      }>().sessions
    expect((await list()).filter(session => session.is_current)).toHaveLength(1)
    const foreign = (await list()).find(session => !session.is_current)?.session_id ?? ''
    const ended = await ask({ method: 'DELETE', url: `/v1/me/sessions/${foreign}`, headers: one })
    expect([ended.statusCode, await me(one), await me(other)]).toEqual([204, 200, 401])
  })

  test('is one of at most twenty: a new one replaces the oldest', async () => {
    const owner = makeWallet(stage.parts.crypto)
    const first = await signedInAs(stage.parts, owner.address)
    for (let more = 0; more < 20; more += 1) {
      stage.clock.pass(1_000)
      await signedInAs(stage.parts, owner.address)
    }
    expect(await me(first)).toBe(401)
  })

  test.each([
    ['an unknown token', `Bearer fbs_${'x'.repeat(43)}`],
    ['no token of ours', 'Bearer ../../etc'],
    ['another scheme', 'Basic dXNlcjpwYXNz'],
    ['a very long one', `Bearer ${'a'.repeat(5_000)}`],
  ])('is not found by %s', async (_, authorization) => {
    const answer = await ask({ method: 'GET', url: '/v1/me', headers: { authorization } })
    expect(answer.statusCode).toBe(401)
    expect(answer.headers['www-authenticate']).toBe('Bearer')
  })

  test('an invalid bearer token is refused even with a valid cookie', async () => {
    const cookie = cookieOf(await signInWell())
    expect(await me({ cookie, authorization: `Bearer fbs_${'x'.repeat(43)}` })).toBe(401)
  })
})
