import type { FastifyInstance, InjectOptions, LightMyRequestResponse } from 'fastify'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createApp } from '../../app/create-app.ts'
import { cleanUp } from '../../operator/start-cleanup.ts'
import { answersAsDocumented } from '../../test-setup/answers-as-documented.ts'
import { makeWallet, signedInAs } from '../../test-setup/sign-in.ts'
import { stagePlatform, type Stage } from '../../test-setup/stage-platform.ts'
import { ownersRoutes } from '../owners-routes.ts'
import { SESSION_IDLE_MS } from '../sessions.ts'

const PUBLIC_URL = 'https://platform.example:8443'
const OWN_PAGE = { origin: PUBLIC_URL, 'sec-fetch-site': 'same-origin' }
const MINUTE_MS = 60_000

type Headers = Record<string, string>

let stage: Stage
let app: FastifyInstance
let ask: (request: InjectOptions) => Promise<LightMyRequestResponse>
let owner: string
let terminal: Headers

beforeAll(async () => {
  stage = await stagePlatform({ settings: { publicUrl: PUBLIC_URL, localMode: false } })
  const routes = ownersRoutes(stage.parts)
  app = createApp(stage.parts, routes)
  ask = answersAsDocumented(app, routes)
})
beforeEach(async () => {
  // More requests than an address may make in a minute.
  stage.clock.pass(MINUTE_MS)
  owner = makeWallet(stage.parts.crypto).address
  terminal = await signedInAs(stage.parts, owner)
})
afterAll(async () => {
  await app.close()
  await stage.close()
})

const post = async (url: string, headers: Headers, payload?: object): Promise<LightMyRequestResponse> =>
  await ask({ method: 'POST', url, headers, ...(payload !== undefined && { payload }) })

async function offer(): Promise<string> {
  const answer = await post('/v1/me/browser-sign-ins', terminal)
  expect(answer.statusCode).toBe(201)
  return answer.json<{ link_id: string }>().link_id
}

const open = async (linkId?: string, cookie?: string): Promise<LightMyRequestResponse> =>
  await post(
    '/v1/browser-sign-ins',
    { ...OWN_PAGE, ...(cookie !== undefined && { cookie }) },
    linkId === undefined ? {} : { link_id: linkId },
  )
const claim = async (cookie?: string): Promise<LightMyRequestResponse> =>
  await post('/v1/browser-sign-ins/claim', { ...OWN_PAGE, ...(cookie !== undefined && { cookie }) })
const confirm = async (code: string): Promise<LightMyRequestResponse> =>
  await post('/v1/me/browser-sign-ins/confirm', terminal, { code })

const cookieOf = (answer: LightMyRequestResponse): string =>
  String(answer.headers['set-cookie']).split(';')[0] ?? ''
const codeOf = (answer: LightMyRequestResponse): string => answer.json<{ code: string }>().code
const wrongCode = (code: string): string => (code.startsWith('2') ? '3' : '2') + code.slice(1)

/** Signs a browser in through a terminal. */
async function signBrowserIn(): Promise<{ readonly browser: string; readonly session: Headers }> {
  const opened = await open(await offer())
  const browser = cookieOf(opened)
  expect((await confirm(codeOf(opened))).statusCode).toBe(204)
  const claimed = await claim(browser)
  expect(claimed.statusCode).toBe(201)
  return { browser, session: { cookie: cookieOf(claimed) } }
}

const readMe = async (headers: Headers): Promise<LightMyRequestResponse> =>
  await ask({ method: 'GET', url: '/v1/me', headers })

test('the first browser that opens the link is signed in once its code is typed, with a cookie that scripts cannot read', async () => {
  const opened = await open(await offer())
  expect(opened.json()).toMatchObject({ address: owner, code: expect.stringMatching(/^[2-9A-HJ-NP-Z]{6}$/) })
  expect(String(opened.headers['set-cookie'])).toMatch(
    /^__Host-farebox_browser_sign_in=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Secure; Max-Age=120$/,
  )
  expect((await claim(cookieOf(opened))).json()).toEqual({ state: 'waiting' })
  expect((await confirm(codeOf(opened))).statusCode).toBe(204)
  const claimed = await claim(cookieOf(opened))
  expect(claimed.statusCode).toBe(201)
  expect(claimed.json()).toMatchObject({ address: owner, origin: 'terminal' })
  expect(claimed.body).not.toContain('fbs_')
  expect(claimed.headers['set-cookie']).toContainEqual(
    expect.stringMatching(
      /^__Host-farebox_session=fbs_[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Secure; Max-Age=\d+$/,
    ),
  )
  const me = await readMe({ cookie: cookieOf(claimed) })
  expect(me.json()).toMatchObject({ address: owner, session: { origin: 'terminal' } })
})

test('a sign-in happens once: a repeated code, cookie or link has no effect', async () => {
  const linkId = await offer()
  const opened = await open(linkId)
  await confirm(codeOf(opened))
  expect((await claim(cookieOf(opened))).statusCode).toBe(201)
  expect((await claim(cookieOf(opened))).statusCode).toBe(404)
  expect((await open(linkId)).statusCode).toBe(404)
  expect((await open(linkId, cookieOf(opened))).statusCode).toBe(404)
  expect((await confirm(codeOf(opened))).statusCode).toBe(404)
})

test('a hundred concurrent claims begin one session', async () => {
  const opened = await open(await offer())
  await confirm(codeOf(opened))
  const answers = await Promise.all(Array.from({ length: 100 }, () => claim(cookieOf(opened))))
  const codes = answers.map(({ statusCode }) => statusCode)
  expect(codes.filter(code => code === 201)).toEqual([201])
  expect(codes.filter(code => code === 404)).toHaveLength(99)
})

test('a second browser is refused, and the first keeps its code, also after a reload', async () => {
  const linkId = await offer()
  const first = await open(linkId)
  const second = await open(linkId)
  expect(second.statusCode).toBe(409)
  expect(second.headers['set-cookie']).toBeUndefined()
  expect(codeOf(await open(linkId, cookieOf(first)))).toBe(codeOf(first))
  expect(codeOf(await open(undefined, cookieOf(first)))).toBe(codeOf(first))
  expect((await open()).statusCode).toBe(404)
})

test('of a hundred browsers that open a link concurrently, one is bound', async () => {
  const linkId = await offer()
  const answers: LightMyRequestResponse[] = []
  // Twenty per minute from one address.
  for (let round = 0; round < 5; round += 1) {
    const url = '/v1/browser-sign-ins'
    const remoteAddress = `10.0.0.${round + 1}`
    answers.push(
      ...(await Promise.all(
        Array.from({ length: 20 }, () =>
          ask({ method: 'POST', url, headers: OWN_PAGE, payload: { link_id: linkId }, remoteAddress }),
        ),
      )),
    )
  }
  const opened = answers.filter(({ statusCode }) => statusCode === 200)
  expect(opened).toHaveLength(1)
})

test('a claim without the cookie, or with another one, is refused', async () => {
  const opened = await open(await offer())
  await confirm(codeOf(opened))
  expect((await claim()).statusCode).toBe(404)
  expect((await claim(`__Host-farebox_browser_sign_in=${'A'.repeat(43)}`)).statusCode).toBe(404)
  expect((await claim('__Host-farebox_browser_sign_in=x')).statusCode).toBe(404)
  expect((await claim(cookieOf(opened))).statusCode).toBe(201)
})

test('three wrong codes void the link, and the correct code is then refused', async () => {
  const opened = await open(await offer())
  const code = codeOf(opened)
  const words = []
  for (let round = 0; round < 3; round += 1) {
    const answer = await confirm(wrongCode(code))
    expect(answer.statusCode).toBe(403)
    words.push(answer.json<{ error: string }>().error)
  }
  expect(words).toEqual([
    'code: is wrong; 2 tries left',
    'code: is wrong; 1 try left',
    'code: is wrong; the link is void now; make a new one',
  ])
  expect((await confirm(code)).statusCode).toBe(404)
  expect((await claim(cookieOf(opened))).statusCode).toBe(404)
})

test('of a hundred codes typed concurrently, three are tried', async () => {
  const opened = await open(await offer())
  const code = codeOf(opened)
  const answers: LightMyRequestResponse[] = []
  for (let round = 0; round < 5; round += 1) {
    stage.clock.pass(1)
    answers.push(...(await Promise.all(Array.from({ length: 20 }, () => confirm(wrongCode(code))))))
  }
  expect(answers.filter(({ statusCode }) => statusCode === 403)).toHaveLength(3)
})

test('a code typed before the link was opened does not count as a try', async () => {
  const linkId = await offer()
  expect((await confirm('222222')).statusCode).toBe(409)
  const opened = await open(linkId)
  expect((await confirm(codeOf(opened))).statusCode).toBe(204)
})

test('after two minutes the link, the code and the claim are all invalid', async () => {
  const [unopened, opened] = [await offer(), await open(await offer())]
  stage.clock.pass(2 * MINUTE_MS)
  expect((await open(unopened)).statusCode).toBe(404)
  expect((await confirm(codeOf(opened))).statusCode).toBe(404)
  expect((await claim(cookieOf(opened))).statusCode).toBe(404)
  const confirmed = await open(await offer())
  await confirm(codeOf(confirmed))
  stage.clock.pass(2 * MINUTE_MS)
  expect((await claim(cookieOf(confirmed))).statusCode).toBe(404)
})

test('a new link voids the previous one, and the browser that opened it', async () => {
  const linkId = await offer()
  const opened = await open(linkId)
  await offer()
  expect((await open(linkId, cookieOf(opened))).statusCode).toBe(404)
  expect((await confirm(codeOf(opened))).statusCode).toBe(409)
  expect((await claim(cookieOf(opened))).statusCode).toBe(404)
})

test('the code of one terminal does not confirm a browser of another', async () => {
  const opened = await open(await offer())
  const theirs = await signedInAs(stage.parts, makeWallet(stage.parts.crypto).address)
  await post('/v1/me/browser-sign-ins', theirs)
  const answer = await post('/v1/me/browser-sign-ins/confirm', theirs, { code: codeOf(opened) })
  expect(answer.statusCode).toBe(409)
  expect((await claim(cookieOf(opened))).json()).toEqual({ state: 'waiting' })
})

test('a browser that is signed in keeps its user', async () => {
  const { session } = await signBrowserIn()
  const linkId = await offer()
  const opened = await post('/v1/browser-sign-ins', { ...OWN_PAGE, ...session }, { link_id: linkId })
  expect(opened.statusCode).toBe(409)
  expect(opened.body).toContain(`this browser is signed in as ${owner}; sign out first`)
  const other = await open(linkId)
  await confirm(codeOf(other))
  const cookie = `${cookieOf(other)}; ${session['cookie'] ?? ''}`
  expect((await claim(cookie)).statusCode).toBe(409)
  expect((await claim(cookieOf(other))).statusCode).toBe(201)
})

test('the terminal lists the browser with its origin, and a logout ends both sessions', async () => {
  const { session } = await signBrowserIn()
  const listed = await ask({ method: 'GET', url: '/v1/me/sessions', headers: terminal })
  const origins = listed
    .json<{ sessions: { origin: string; is_current: boolean }[] }>()
    .sessions.map(({ origin, is_current: isCurrent }) => ({ origin, isCurrent }))
  expect(origins).toContainEqual({ origin: 'terminal', isCurrent: false })
  expect(origins).toContainEqual({ origin: 'wallet', isCurrent: true })
  const out = await ask({ method: 'DELETE', url: '/v1/sessions/current', headers: terminal })
  expect(out.statusCode).toBe(204)
  expect((await readMe(session)).statusCode).toBe(401)
})

test('the browser signs out alone; the terminal stays signed in', async () => {
  const { session } = await signBrowserIn()
  const headers = { ...OWN_PAGE, ...session }
  expect((await ask({ method: 'DELETE', url: '/v1/sessions/current', headers })).statusCode).toBe(204)
  expect((await readMe(terminal)).statusCode).toBe(200)
})

test('a page with the cookie of a wallet’s session can neither create nor confirm links', async () => {
  const token = (terminal['authorization'] ?? '').replace('Bearer ', '')
  const cookie = { ...OWN_PAGE, cookie: `__Host-farebox_session=${token}` }
  expect((await readMe(cookie)).statusCode).toBe(200)
  expect((await post('/v1/me/browser-sign-ins', cookie)).statusCode).toBe(403)
  const opened = await open(await offer())
  const confirmed = await post('/v1/me/browser-sign-ins/confirm', cookie, { code: codeOf(opened) })
  expect(confirmed.statusCode).toBe(403)
  expect((await claim(cookieOf(opened))).json()).toEqual({ state: 'waiting' })
})

test('a browser that a terminal signed in cannot create links', async () => {
  const { session } = await signBrowserIn()
  const answer = await post('/v1/me/browser-sign-ins', { ...OWN_PAGE, ...session })
  expect(answer.statusCode).toBe(403)
})

test('the browser’s session ends with the terminal’s, and its use counts for both', async () => {
  const { session } = await signBrowserIn()
  const [mine, theirs] = [await readMe(terminal), await readMe(session)].map(
    answer => answer.json<{ session: { expires_at: number } }>().session.expires_at,
  )
  expect(theirs).toBe(mine)
  // Without the browser's use, the terminal's session would have ended as idle.
  for (let round = 0; round < 3; round += 1) {
    stage.clock.pass(SESSION_IDLE_MS - MINUTE_MS)
    await cleanUp(stage.parts)
    expect((await readMe(session)).statusCode).toBe(200)
  }
  expect((await readMe(terminal)).statusCode).toBe(200)
  stage.clock.pass(SESSION_IDLE_MS)
  expect((await readMe(session)).statusCode).toBe(401)
})

test('a page of another site can neither open nor claim', async () => {
  const linkId = await offer()
  for (const url of ['/v1/browser-sign-ins', '/v1/browser-sign-ins/claim']) {
    const foreign = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }
    expect((await post(url, foreign, { link_id: linkId })).statusCode).toBe(403)
  }
  expect((await open(linkId)).statusCode).toBe(200)
})

test('an invalid link is refused, and neither links nor cookies are stored in plain text', async () => {
  for (const linkId of ['', 'x', 'A'.repeat(43)]) expect((await open(linkId)).statusCode).toBe(404)
  for (const linkId of ['A'.repeat(101), '\u0000']) expect((await open(linkId)).statusCode).toBe(400)
  const linkId = await offer()
  const cookie = cookieOf(await open(linkId)).split('=')[1] ?? ''
  const [row] = await stage.parts.database.query(
    'all-of-it',
    'select browser_sign_ins::text as kept from browser_sign_ins where expires_at > $1',
    [new Date(stage.clock.nowMs())],
  )
  expect(JSON.stringify(row)).not.toContain(linkId)
  expect(JSON.stringify(row)).not.toContain(cookie)
})
