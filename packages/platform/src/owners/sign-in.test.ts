import type { signInTerms } from '@farebox/platform-api/owners'
import type { FastifyInstance, InjectOptions, LightMyRequestResponse } from 'fastify'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { z } from 'zod'
import { fromHex } from '@farebox/payments/src/crypto/bytes'
import { createApp } from '../app/create-app.ts'
import { answersAsDocumented } from '../test-setup/answers-as-documented.ts'
import { makeWallet, signInMessage, type TestWallet } from '../test-setup/sign-in.ts'
import { stagePlatform, type Stage } from '../test-setup/stage-platform.ts'
import { ownersRoutes } from './owners-routes.ts'

type Terms = z.infer<typeof signInTerms>

const PUBLIC_URL = 'https://platform.example:8443'
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

async function askTerms(): Promise<Terms> {
  // The sign-ins of this test file exceed the limit of one address.
  stage.clock.pass(MINUTE_MS)
  return (await ask({ method: 'POST', url: '/v1/sessions/nonces' })).json<Terms>()
}

async function signIn(
  payload: object,
  headers: { [name: string]: string } = {},
): Promise<LightMyRequestResponse> {
  return await ask({ method: 'POST', url: '/v1/sessions', payload, headers })
}

async function signInWell(headers: { [name: string]: string } = {}): Promise<LightMyRequestResponse> {
  const message = signInMessage(wallet, await askTerms())
  return await signIn({ message, signature: wallet.personalSign(message) }, headers)
}

test("EIP-4361 a wallet that signs the platform's message is signed in, by cookie and by bearer token", async () => {
  const answer = await signInWell()
  expect(answer.statusCode).toBe(201)
  const { token, address } = answer.json<{ token: string; address: string }>()
  expect(address).toBe(wallet.address)
  expect(answer.headers['cache-control']).toBe('no-store')
  expect(answer.headers['set-cookie']).toEqual([
    `${COOKIE}=${token}; Path=/; HttpOnly; SameSite=Lax; Secure; Max-Age=86400`,
    'farebox_signed_in=1; Path=/; SameSite=Lax; Secure; Max-Age=86400',
  ])
  for (const headers of [{ authorization: `Bearer ${token}` }, { cookie: `${COOKIE}=${token}` }]) {
    const me = await ask({ method: 'GET', url: '/v1/me', headers })
    expect(me.json()).toMatchObject({ address: wallet.address, agents: 0 })
  }
})

test('a wallet that writes v as 0 or 1 is signed in; for payments such a signature stays refused', async () => {
  const { crypto } = stage.parts
  const seen = new Set<number>()
  while (seen.size < 2) {
    const signer = makeWallet(crypto)
    const message = signInMessage(signer, await askTerms())
    const usual = signer.personalSign(message)
    const v = Number(`0x${usual.slice(-2)}`) - 27
    seen.add(v)
    const signature = `${usual.slice(0, -2)}0${v}`
    expect((await signIn({ message, signature })).json()).toMatchObject({ address: signer.address })
    const digest = crypto.keccak256(Buffer.from(message))
    expect(crypto.recoverAddress(digest, fromHex(signature))).toBeUndefined()
    const flipped = `${usual.slice(0, -2)}0${1 - v}`
    expect((await signIn({ message, signature: flipped })).statusCode).toBe(401)
  }
})

test('a message with a statement, a request id and resources is parsed completely', async () => {
  const message = signInMessage(wallet, await askTerms(), {
    statement: 'I want to see my agents.',
    requestId: 'r-1',
    resources: [`${PUBLIC_URL}/terms`],
    scheme: 'https',
  })
  expect((await signIn({ message, signature: wallet.personalSign(message) })).statusCode).toBe(201)
})

test('the database has a hash of the token, but not the token', async () => {
  const { token } = (await signInWell()).json<{ token: string }>()
  const rows = await stage.database.query<{ row: string }>('t1', 'select sessions::text as row from sessions')
  expect(rows.length).toBeGreaterThan(0)
  expect(JSON.stringify(rows)).not.toContain(token.slice(4))
  expect(JSON.stringify(rows)).not.toContain(Buffer.from(token).toString('hex'))
})

describe('WEB-04 refuses', () => {
  type Hostile = (terms: Terms) => { readonly message: string; readonly signature: string }
  const signed = (message: string): { message: string; signature: string } => ({
    message,
    signature: wallet.personalSign(message),
  })
  const changed =
    (changes: (terms: Terms, nowMs: number) => Parameters<typeof signInMessage>[2]): Hostile =>
    terms =>
      signed(signInMessage(wallet, terms, changes(terms, stage.clock.nowMs())))
  const rewritten =
    (rewrite: (message: string) => string): Hostile =>
    terms =>
      signed(rewrite(signInMessage(wallet, terms)))

  const cases: readonly (readonly [what: string, status: number, words: RegExp, hostile: Hostile])[] = [
    ['a nonce of nobody', 401, /nonce/, changed(() => ({ nonce: 'aaaaaaaabbbbbbbb' }))],
    ['another domain', 401, /domain/, changed(() => ({ domain: 'evil.example' }))],
    ['our domain without its port', 401, /domain/, changed(() => ({ domain: 'platform.example' }))],
    [
      'our domain as a prefix',
      401,
      /domain/,
      rewritten(text => text.replace(' wants', '.evil.example wants')),
    ],
    ['another scheme', 401, /scheme/, changed(() => ({ scheme: 'http' }))],
    ['another URI', 401, /URI/, changed(() => ({ uri: 'https://evil.example/v1/sessions' }))],
    ['a URI that only begins as ours', 401, /URI/, changed(() => ({ uri: `${PUBLIC_URL}.evil.example` }))],
    ['our host over http', 401, /URI/, changed(() => ({ uri: PUBLIC_URL.replace('https', 'http') }))],
    ['another chain', 401, /Chain ID/, changed(() => ({ chainId: 1 }))],
    ['another version', 400, /Version/, rewritten(text => text.replace('Version: 1', 'Version: 2'))],
    ['no expiry', 401, /Expiration Time/, rewritten(text => text.replace(/\nExpiration Time: .*/, ''))],
    ['a passed expiry', 401, /passed/, changed((_, now) => ({ expirationTime: new Date(now) }))],
    [
      'an expiry more than 10 minutes ahead',
      401,
      /10 minutes ahead/,
      changed((_, now) => ({ expirationTime: new Date(now + 10 * MINUTE_MS + 1) })),
    ],
    ['a future issue', 401, /future/, changed((_, now) => ({ issuedAt: new Date(now + MINUTE_MS + 1_000) }))],
    [
      'a message ten years old',
      401,
      /10 minutes ago/,
      changed((_, now) => ({ issuedAt: new Date(now - 3_650 * 86_400_000) })),
    ],
    ['one not good yet', 401, /Not Before/, changed((_, now) => ({ notBefore: new Date(now + 1_000) }))],
    [
      'a wrong checksum',
      401,
      /checksum/,
      rewritten(text => text.replace(wallet.checksummed, wallet.address)),
    ],
    [
      'another address',
      401,
      /signature/,
      terms => signed(signInMessage(makeWallet(stage.parts.crypto), terms)),
    ],
    [
      'a signature of other words',
      401,
      /signature/,
      terms => ({
        message: signInMessage(wallet, terms),
        signature: wallet.personalSign(signInMessage(wallet, terms, { statement: 'Yes.' })),
      }),
    ],
    [
      'the signature of a contract wallet (ERC-1271, ERC-6492)',
      401,
      /contract wallets/,
      terms => ({
        message: signInMessage(wallet, terms),
        signature: wallet.personalSign(signInMessage(wallet, terms)) + '00'.repeat(64),
      }),
    ],
    [
      'a malleated signature',
      401,
      /signature/,
      terms => {
        const { message, signature } = signed(signInMessage(wallet, terms))
        return { message, signature: withHighS(signature) }
      },
    ],
    ['no hex', 400, /hex/, terms => ({ message: signInMessage(wallet, terms), signature: 'yes' })],
    ['a line before the first', 400, /line 1/, rewritten(text => `\n${text}`)],
    ['a line after the last', 400, /not known here/, rewritten(text => `${text}\nAdmin: true`)],
    ['a second domain', 400, /not known here/, rewritten(text => `${text}\n${text}`)],
    ['a field twice', 400, /line/, rewritten(text => text.replace(/(\nNonce: .*)/, '$1$1'))],
    [
      'a statement that plays a field',
      400,
      /line/,
      rewritten(text => text.replace('\n\n\n', '\n\na\nURI: https://platform.example:8443\n')),
    ],
    ['a carriage return', 400, /printable/, rewritten(text => text.replaceAll('\n', '\r\n'))],
    ['a look-alike', 400, /printable/, rewritten(text => text.replace('platform', 'plаtform'))],
    ['an empty message', 400, /line 1/, () => signed('')],
    [
      'no RFC 3339 time',
      400,
      /Issued At/,
      rewritten(text => text.replace(/Issued At: .*/, 'Issued At: now')),
    ],
    [
      'a time that is none',
      400,
      /Issued At/,
      rewritten(text => text.replace(/Issued At: \d{4}-\d\d/, 'Issued At: 2027-13')),
    ],
  ]

  test.each(cases)('%s', async (_, status, words, hostile) => {
    const terms = await askTerms()
    const answer = await signIn(hostile(terms))
    expect(answer.statusCode).toBe(status)
    expect(answer.json<{ error: string }>().error).toMatch(words)
    expect(answer.headers['set-cookie']).toBeUndefined()
  })

  test('the same message twice, and nineteen of twenty concurrent ones', async () => {
    const payload = signed(signInMessage(wallet, await askTerms()))
    stage.clock.pass(MINUTE_MS)
    const answers = await Promise.all(Array.from({ length: 20 }, () => signIn(payload)))
    expect(answers.filter(answer => answer.statusCode === 201)).toHaveLength(1)
    stage.clock.pass(MINUTE_MS)
    expect((await signIn(payload)).json()).toMatchObject({ error: expect.stringMatching(/nonce/) })
  })

  test('a nonce older than five minutes', async () => {
    const terms = await askTerms()
    stage.clock.pass(5 * MINUTE_MS)
    const expirationTime = new Date(stage.clock.nowMs() + MINUTE_MS)
    const answer = await signIn(signed(signInMessage(wallet, terms, { expirationTime })))
    expect([answer.statusCode, answer.json<{ error: string }>().error]).toEqual([
      401,
      expect.stringMatching(/nonce/),
    ])
  })

  test('a refused sign-in does not consume its nonce', async () => {
    const terms = await askTerms()
    expect((await signIn(signed(signInMessage(wallet, terms, { chainId: 1 })))).statusCode).toBe(401)
    expect((await signIn(signed(signInMessage(wallet, terms)))).statusCode).toBe(201)
  })

  test('unknown keys in the request', async () => {
    const answer = await signIn({
      ...signed(signInMessage(wallet, await askTerms())),
      address: wallet.address,
    })
    expect(answer.json()).toMatchObject({ error: 'address: is not known here' })
  })
})

test('in local mode, over http, the cookie has a plain name that browsers accept', async () => {
  const local = await stagePlatform()
  const routes = ownersRoutes(local.parts)
  const localApp = createApp(local.parts, routes)
  const terms = (await localApp.inject({ method: 'POST', url: '/v1/sessions/nonces' })).json<Terms>()
  const message = signInMessage(wallet, terms)
  const payload = { message, signature: wallet.personalSign(message) }
  const answer = await localApp.inject({ method: 'POST', url: '/v1/sessions', payload })
  expect(answer.headers['set-cookie']).toEqual([
    expect.stringMatching(/^farebox_session=fbs_\S+; Path=\/; HttpOnly; SameSite=Lax; Max-Age/),
    expect.stringMatching(/^farebox_signed_in=1; Path=\/; SameSite=Lax; Max-Age/),
  ])
  await localApp.close()
  await local.close()
})

/** The other valid signature of the same message with the same key, which Ethereum has refused since EIP-2. */
function withHighS(signature: string): string {
  const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
  const s = BigInt(`0x${signature.slice(66, 130)}`)
  const v = signature.endsWith('1b') ? '1c' : '1b'
  return `${signature.slice(0, 66)}${(order - s).toString(16).padStart(64, '0')}${v}`
}
