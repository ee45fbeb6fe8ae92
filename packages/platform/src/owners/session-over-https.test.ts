import { createServer, request as forward } from 'node:http'
import { createServer as createTlsServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { FastifyInstance } from 'fastify'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createApp } from '../app/create-app.ts'
import { findChromium, startBrowser } from '../test-setup/browser/browser.ts'
import { makeCertificate } from '../test-setup/network/certificate.ts'
import { makeWallet, signInMessage, type TestWallet } from '../test-setup/sign-in.ts'
import { stagePlatform, type Stage } from '../test-setup/stage-platform.ts'
import { ownersRoutes } from './owners-routes.ts'

const HOST = 'platform.example'
const COOKIE = '__Host-farebox_session'

const chromium = findChromium()
const certificate = makeCertificate([HOST, `*.${HOST}`, 'other.example'])

let stage: Stage
let app: FastifyInstance
let proxy: Server
let browser: Browser
let context: BrowserContext
let origin: string
let wallet: TestWallet

describe.skipIf(chromium === undefined)('behind a proxy that ends TLS, in a browser', () => {
  beforeAll(async () => {
    // The proxy's port is part of the public URL, so it listens first.
    let behind = 0
    proxy = createTlsServer({ key: certificate.key, cert: certificate.certificate }, (request, response) => {
      if (!(request.headers.host ?? '').startsWith(`${HOST}:`)) {
        // Pages of other origins: one on a sister subdomain, and one on another site.
        response.writeHead(200, { 'content-type': 'text/html' }).end('<title>other</title>')
        return
      }
      const { method, url: path, headers } = request
      const passed = forward({ port: behind, host: '127.0.0.1', method, path, headers }, answer => {
        response.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.pipe(response)
      })
      request.pipe(passed)
    })
    await new Promise<void>(resolve => proxy.listen(0, '127.0.0.1', resolve))
    origin = `https://${HOST}:${(proxy.address() as AddressInfo).port}`
    stage = await stagePlatform({ realTime: true, settings: { publicUrl: origin, localMode: false } })
    app = createApp(stage.parts, ownersRoutes(stage.parts))
    behind = Number(new URL(await app.listen({ host: '127.0.0.1', port: 0 })).port)
    browser = await startBrowser(chromium ?? '', [
      `--host-resolver-rules=MAP *.${HOST} 127.0.0.1, MAP ${HOST} 127.0.0.1, MAP other.example 127.0.0.1`,
    ])
    wallet = makeWallet(stage.parts.crypto)
  })
  afterAll(async () => {
    await browser.close()
    await app.close()
    await stage.close()
    proxy.closeAllConnections()
    await new Promise(resolve => proxy.close(resolve))
  })
  beforeEach(async () => {
    context = await browser.newContext({ ignoreHTTPSErrors: true })
    context.setDefaultTimeout(0)
  })
  afterEach(() => context.close())

  const openPage = (at: string = origin): Promise<Page> => openPageOf(context, at)

  async function ask(page: Page, method: string, url: string, body?: object): Promise<Answered> {
    return await page.evaluate(
      async ([verb, place, text]) => {
        try {
          const answer = await fetch(place, {
            method: verb,
            credentials: 'include',
            ...(text !== undefined && { body: text, headers: { 'content-type': 'application/json' } }),
          })
          return { status: answer.status, body: await answer.text() }
        } catch (error) {
          return { status: 0, body: String(error) }
        }
      },
      [method, url, body && JSON.stringify(body)] as const,
    )
  }

  async function signIn(page: Page): Promise<string> {
    const terms = JSON.parse((await ask(page, 'POST', `${origin}/v1/sessions/nonces`)).body) as Parameters<
      typeof signInMessage
    >[1]
    const message = signInMessage(wallet, terms)
    const signature = wallet.personalSign(message)
    const signed = await ask(page, 'POST', `${origin}/v1/sessions`, { message, signature })
    expect(signed.status).toBe(201)
    return (JSON.parse(signed.body) as { readonly token: string }).token
  }

  const me = async (page: Page): Promise<number> => (await ask(page, 'GET', `${origin}/v1/me`)).status

  test('a sign-in sets a __Host- cookie that scripts cannot read, and it authenticates the next request', async () => {
    const page = await openPage()
    expect(await me(page)).toBe(401)
    await signIn(page)
    expect(await context.cookies()).toMatchObject([
      { name: COOKIE, domain: HOST, path: '/', secure: true, httpOnly: true, sameSite: 'Lax' },
      { name: 'farebox_signed_in', value: '1', domain: HOST, secure: true, sameSite: 'Lax' },
    ])
    expect(await page.evaluate('document.cookie')).toBe('farebox_signed_in=1')
    expect(await me(page)).toBe(200)
    expect((await ask(page, 'DELETE', `${origin}/v1/sessions/current`)).status).toBe(204)
    expect(await context.cookies()).toEqual([])
  })

  test('a page of another site, or of a subdomain, cannot use the session', async () => {
    await signIn(await openPage())
    const { port } = new URL(origin)
    for (const site of [`https://other.example:${port}`, `https://sister.${HOST}:${port}`]) {
      const page = await openPage(site)
      for (const [method, path] of [
        ['GET', '/v1/me'],
        ['POST', '/v1/me/secrets'],
        ['DELETE', '/v1/sessions/current'],
      ] as const)
        expect((await ask(page, method, `${origin}${path}`)).status, `${method} from ${site}`).toBe(0)
    }
    expect(await me(await openPage())).toBe(200)
  })

  test('a subdomain cannot set the session cookie: the browser refuses that name, and no other name is read', async () => {
    const attackers = await signIn(await openPage())
    await context.clearCookies()
    const { port } = new URL(origin)
    const sister = await openPage(`https://sister.${HOST}:${port}`)
    for (const name of [COOKIE, 'farebox_session']) {
      const tossed = `${name}=${attackers}; Domain=${HOST}; Path=/; Secure`
      await sister.evaluate(`document.cookie = ${JSON.stringify(tossed)}`)
    }
    const names = (await context.cookies()).map(({ name }) => name)
    expect(names).toEqual(['farebox_session'])
    expect(await me(await openPage())).toBe(401)
  })

  test('an existing session is ended by the sign-in that replaces it', async () => {
    const page = await openPage()
    const former = await signIn(page)
    await signIn(page)
    const answer = await app.inject({ url: '/v1/me', headers: { authorization: `Bearer ${former}` } })
    expect(answer.statusCode).toBe(401)
  })

  test('proxy headers about the protocol have no effect: the public URL decides', async () => {
    const headers = { 'x-forwarded-proto': 'http', 'x-forwarded-host': 'other.example' }
    const terms = (await app.inject({ method: 'POST', url: '/v1/sessions/nonces', headers })).json<
      Parameters<typeof signInMessage>[1]
    >()
    expect(terms.uri).toBe(origin)
    const message = signInMessage(wallet, terms)
    const payload = { message, signature: wallet.personalSign(message) }
    const answer = await app.inject({ method: 'POST', url: '/v1/sessions', payload, headers })
    expect(answer.headers['set-cookie']).toContainEqual(
      expect.stringMatching(/^__Host-farebox_session=.*; Secure/),
    )
  })
})

test.skipIf(chromium === undefined)(
  'in local mode, over http on this machine, a browser is signed in as well',
  async () => {
    const local = await stagePlatform({ realTime: true })
    const holder = createServer()
    await new Promise<void>(resolve => holder.listen(0, '127.0.0.1', resolve))
    const { port } = holder.address() as AddressInfo
    await new Promise(resolve => holder.close(resolve))
    const publicUrl = `http://127.0.0.1:${port}`
    const parts = { ...local.parts, settings: { ...local.parts.settings, publicUrl } }
    const served = createApp(parts, ownersRoutes(parts))
    await served.listen({ host: '127.0.0.1', port })
    const plain = await startBrowser(chromium ?? '')
    try {
      const opened = await plain.newContext()
      opened.setDefaultTimeout(0)
      const page = await openPageOf(opened, publicUrl)
      const post = async (path: string, body?: object): Promise<string> =>
        await page.evaluate(
          async ([place, text]) => {
            const headers = { 'content-type': 'application/json' }
            return await (await fetch(place, { method: 'POST', ...(text && { body: text, headers }) })).text()
          },
          [path, body && JSON.stringify(body)] as const,
        )
      const signer = makeWallet(local.parts.crypto)
      const terms = JSON.parse(await post('/v1/sessions/nonces')) as Parameters<typeof signInMessage>[1]
      const message = signInMessage(signer, terms)
      await post('/v1/sessions', { message, signature: signer.personalSign(message) })
      expect(await page.evaluate(async () => (await fetch('/v1/me')).status)).toBe(200)
      expect(await opened.cookies()).toMatchObject([
        { name: 'farebox_session', httpOnly: true },
        { name: 'farebox_signed_in', value: '1' },
      ])
    } finally {
      await plain.close()
      await served.close()
      await local.close()
    }
  },
)

/** A page at this origin without the platform's content security policy, as an operator's own front end might be. */
async function openPageOf(context: BrowserContext, origin: string): Promise<Page> {
  const page = await context.newPage()
  const body = '<!doctype html><title>A page</title>'
  await page.route(`${origin}/page`, route => route.fulfill({ contentType: 'text/html', body }))
  await page.goto(`${origin}/page`)
  return page
}

interface Answered {
  /** 0 when the browser did not let the page read the response. */
  readonly status: number
  readonly body: string
}
