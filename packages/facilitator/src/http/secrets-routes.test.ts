import { createHash } from 'node:crypto'
import { loadEvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import type { CreatedSecret } from '@farebox/payments/x402/facilitator-api'
import { systemClock } from '@farebox/protocol/time/clock'
import type { FastifyInstance } from 'fastify'
import { beforeEach, describe, expect, test } from 'vitest'
import type { Ledger } from '../ledger/ledger.ts'
import { createMemoryLedger } from '../ledger/memory/memory-ledger.ts'
import { silentLog } from '@farebox/server/log'
import { createFacilitatorMetrics } from '../metrics.ts'
import { createAuthenticate } from '../secrets/authenticate.ts'
import { limitCallers } from './caller.ts'
import { mintSecret, readSecretId } from '../secrets/secret-form.ts'
import { PAY_TO } from '../test-setup/payments-for-tests.ts'
import { OPEN_GATE } from '@farebox/server/internal/postgres/outage-gate'
import { createHttpApp } from './create-app.ts'
import { addReleaseRoute } from './release-route.ts'
import { addSecretsRoutes } from './secrets-routes.ts'

const ADMIN_TOKEN = 'an-admin-token-of-tests'
const WALLET = '0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc'

let nowMs: number
let app: FastifyInstance
let ledger: Ledger

beforeEach(async () => {
  nowMs = 1_800_000_000_000
  const clock = { ...systemClock, nowMs: () => nowMs }
  ledger = createMemoryLedger(clock)
  app = createHttpApp(silentLog)
  addSecretsRoutes(app, {
    secrets: ledger.secrets,
    crypto: await loadEvmCrypto(),
    clock,
    adminToken: ADMIN_TOKEN,
  })
  const admission = {
    authenticate: createAuthenticate(ledger.secrets, clock),
    mayAsk: limitCallers(5, clock),
    gate: OPEN_GATE,
  }
  addReleaseRoute(app, { ledger: ledger.payments, log: silentLog }, admission, createFacilitatorMetrics())
})

type Answer = { readonly status: number; readonly body: unknown }
async function ask(
  method: 'GET' | 'POST' | 'PUT' | 'DELETE',
  url: string,
  options: { body?: unknown; token?: string } = {},
): Promise<Answer> {
  const answer = await app.inject({
    method,
    url,
    headers: { authorization: `Bearer ${options.token ?? ADMIN_TOKEN}` },
    ...(options.body !== undefined && {
      payload: typeof options.body === 'string' ? options.body : JSON.stringify(options.body),
    }),
  })
  return { status: answer.statusCode, body: answer.payload === '' ? undefined : answer.json() }
}

async function create(owner = 'me', wallets: readonly string[] = [WALLET]): Promise<CreatedSecret> {
  const answer = await ask('POST', '/secrets', { body: { owner, wallets } })
  expect(answer.status).toBe(201)
  return answer.body as CreatedSecret
}

/** Does the facilitator accept this secret? */
async function opens(token: string): Promise<boolean> {
  const { status } = await ask('POST', '/release', { body: { holdId: 'x', binding: 'y' }, token })
  expect([200, 401]).toContain(status)
  return status === 200
}

describe('the administration of secrets', () => {
  test('a secret keeps its label and the id of the secret that it replaces, if both have the required form', async () => {
    const [label, replaces] = ['build machine', '0123456789abcdef']
    const wanted = { owner: 'me', wallets: [WALLET] }
    const made = await ask('POST', '/secrets', { body: { ...wanted, label, replaces } })
    expect([made.status, made.body]).toMatchObject([201, { label, replaces, lastUsedAt: null }])
    expect((await ask('GET', '/secrets?owner=me')).body).toMatchObject([{ label, replaces }])
    for (const wrong of [
      { label: '' },
      { label: 'x'.repeat(65) },
      { label: 1 },
      { replaces: 'x' },
      { replaces: {} },
    ])
      expect((await ask('POST', '/secrets', { body: { ...wanted, ...wrong } })).status).toBe(400)
  })

  test('a secret is shown once, has the documented form, and is accepted', async () => {
    const created = await create()
    expect(created).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{16}$/),
      owner: 'me',
      wallets: [WALLET.toLowerCase()],
      createdAt: 1_800_000_000,
      revokedAt: null,
      label: null,
      replaces: null,
      lastUsedAt: null,
      secret: expect.stringMatching(/^fbx_[0-9a-f]{16}_[A-Za-z0-9_-]{51}$/),
    })
    expect(readSecretId(created.secret)).toBe(created.id)
    expect(await opens(created.secret)).toBe(true)
    const listed = await ask('GET', '/secrets?owner=me')
    expect(listed.body).toEqual([
      {
        id: created.id,
        owner: 'me',
        wallets: created.wallets,
        createdAt: created.createdAt,
        revokedAt: null,
        label: null,
        replaces: null,
        lastUsedAt: 1_800_000_000,
      },
    ])
    expect(JSON.stringify(await ledger.secrets.list({ owner: 'me' }))).not.toContain(
      created.secret.slice(-51),
    )
  })

  test('the store keeps a hash, not the secret', async () => {
    const { id, secret } = await create()
    const stored = await ledger.secrets.find(id)
    expect(stored?.hash).toHaveLength(32)
    expect(Buffer.from(stored?.hash ?? []).toString()).not.toContain(secret.slice(21, 40))
  })

  test('OPS-07 rotation: two secrets are active at once, a third is refused until the old one is revoked', async () => {
    const [old, fresh] = [await create(), await create()]
    expect((await opens(old.secret)) && (await opens(fresh.secret))).toBe(true)
    const third = await ask('POST', '/secrets', { body: { owner: 'me', wallets: [WALLET] } })
    expect(third).toEqual({ status: 409, body: { error: expect.stringContaining('revoke one') } })
    expect((await ask('DELETE', `/secrets/${old.id}`)).status).toBe(204)
    await create()
  })

  test('a revocation takes effect within five seconds, permanently', async () => {
    const { id, secret } = await create()
    expect(await opens(secret)).toBe(true)
    await ask('DELETE', `/secrets/${id}`)
    nowMs += 5_000
    expect(await opens(secret)).toBe(false)
    nowMs += 1_000_000
    expect(await opens(secret)).toBe(false)
    expect((await ask('GET', '/secrets?owner=me')).body).toMatchObject([{ id, revokedAt: 1_800_000_000 }])
  })

  test('a secret created after a failed look-up is accepted within five seconds', async () => {
    const { id, hash, secret } = mintSecret()
    expect(await opens(secret)).toBe(false)
    await ledger.secrets.create({
      id,
      hash,
      owner: 'other',
      wallets: [PAY_TO],
      createdAt: 0,
      revokedAt: null,
      label: null,
      replaces: null,
      lastUsedAt: null,
    })
    nowMs += 5_000
    expect(await opens(secret)).toBe(true)
  })

  test('wallets are replaced, lower-cased and without duplicates', async () => {
    const { id } = await create()
    const answer = await ask('PUT', `/secrets/${id}/wallets`, {
      body: { wallets: [PAY_TO, `0x${PAY_TO.slice(2).toUpperCase()}`] },
    })
    expect(answer).toMatchObject({ status: 200, body: { wallets: [PAY_TO] } })
    expect((await ledger.secrets.find(id))?.wallets).toEqual([PAY_TO])
  })

  test.each([
    ['no body', '', 'owner'],
    ['no JSON', '{', 'owner'],
    ['no owner', { wallets: [WALLET] }, 'owner'],
    ['an owner that is no string', { owner: 7, wallets: [WALLET] }, 'owner'],
    ['no wallets', { owner: 'me', wallets: [] }, 'wallets'],
    [
      'a wallet with a typing error',
      { owner: 'me', wallets: [WALLET.replace('D1a', 'd1a')] },
      'wallets[0] has a wrong checksum',
    ],
    [
      'the zero address',
      { owner: 'me', wallets: [`0x${'0'.repeat(40)}`] },
      'wallets[0] must not be the zero address',
    ],
  ])('refuses %s with a description of the error', async (_, body, words) => {
    expect(await ask('POST', '/secrets', { body })).toEqual({
      status: 400,
      body: { error: expect.stringContaining(words) },
    })
  })

  test('knows no secret that it has not created', async () => {
    expect((await ask('DELETE', '/secrets/0000000000000000')).status).toBe(404)
    expect(
      (await ask('PUT', '/secrets/0000000000000000/wallets', { body: { wallets: [WALLET] } })).status,
    ).toBe(404)
  })

  test.each(['', 'wrong', `${ADMIN_TOKEN}x`, ADMIN_TOKEN.slice(0, -1)])(
    'is closed to the token "%s" on every route',
    async token => {
      const answers = await Promise.all([
        ask('POST', '/secrets', { body: { owner: 'me', wallets: [WALLET] }, token }),
        ask('GET', '/secrets?owner=me', { token }),
        ask('PUT', '/secrets/x/wallets', { body: {}, token }),
        ask('DELETE', '/secrets/x', { token }),
      ])
      expect(answers.map(answer => answer.status)).toEqual([401, 401, 401, 401])
      expect(answers[0]?.body).toEqual({ error: expect.any(String) })
    },
  )

  test('does not accept a FACILITATOR_SECRET', async () => {
    const { secret } = await create()
    expect((await ask('GET', '/secrets?owner=me', { token: secret })).status).toBe(401)
  })
})

describe('authentication of agents', () => {
  test.each([
    ['no header', undefined],
    ['no bearer', 'Basic abc'],
    ['noise', 'Bearer abc'],
    ['a secret of nobody', `Bearer fbx_0123456789abcdef_${'A'.repeat(43)}12345678`],
    ['the admin token', `Bearer ${ADMIN_TOKEN}`],
    ['two secrets', 'Bearer a b'],
    ['a very long one', `Bearer ${'a'.repeat(5_000)}`],
  ])('D11 is closed to %s, with 401 and {error}', async (_, authorization) => {
    const answer = await app.inject({
      method: 'POST',
      url: '/release',
      payload: '{"holdId":"x","binding":"y"}',
      headers: { ...(authorization !== undefined && { authorization }) },
    })
    expect(answer.statusCode).toBe(401)
    expect(answer.json()).toEqual({ error: expect.stringContaining('FACILITATOR_SECRET') })
    expect(answer.headers['www-authenticate']).toBe('Bearer')
  })

  test('refuses a secret with one changed character at any position', async () => {
    const { secret } = await create()
    for (let index = 4; index < secret.length; index += 5) {
      const changed = secret.slice(0, index) + (secret[index] === 'a' ? 'b' : 'a') + secret.slice(index + 1)
      expect(await opens(changed)).toBe(false)
    }
  })

  test('refuses an invented secret with the id of another, even with a valid checksum', async () => {
    const { secret } = await create()
    const id = readSecretId(secret)
    const body = `fbx_${id}_${'A'.repeat(43)}`
    const forged = body + createHash('sha256').update(body).digest('hex').slice(0, 8)
    expect(readSecretId(forged)).toBe(id)
    expect(await opens(forged)).toBe(false)
    expect(await opens(secret)).toBe(true)
    expect(await opens(forged)).toBe(false)
  })

  test('answers 429 when a secret is used too often, without limiting another secret', async () => {
    const [one, other] = [await create('one'), await create('other')]
    const statuses: number[] = []
    for (let index = 0; index < 12; index += 1)
      statuses.push(
        (await ask('POST', '/release', { body: { holdId: 'x', binding: 'y' }, token: one.secret })).status,
      )
    expect(statuses.filter(status => status === 429)).toHaveLength(2)
    expect(await opens(other.secret)).toBe(true)
    nowMs += 1_000
    expect(await opens(one.secret)).toBe(true)
  })

  test('a body that is too large, of any type, or for an unknown route is answered in the same form', async () => {
    const { secret } = await create()
    const large = await ask('POST', '/release', { body: `"${'x'.repeat(70_000)}"`, token: secret })
    expect(large).toEqual({ status: 413, body: { error: expect.any(String) } })
    expect(await ask('GET', '/nothing')).toEqual({ status: 404, body: { error: 'no such route' } })
    const form = await app.inject({
      method: 'POST',
      url: '/release',
      payload: '{"holdId":"x","binding":"y"}',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'text/html' },
    })
    expect(form.json()).toEqual({ released: false })
  })

  test.each([{ holdId: 'x' }, { binding: 'y' }, { holdId: 'x', binding: 1 }])(
    'D10 /release refuses %o, which does not name a hold and its purpose',
    async body => {
      const { secret } = await create()
      const answer = await ask('POST', '/release', { body, token: secret })
      expect(answer).toEqual({
        status: 400,
        body: { error: expect.stringMatching(/^(holdId|binding) must be/) },
      })
    },
  )

  test('an unavailable store does not make callers unauthorized', async () => {
    const { secret } = await create()
    ledger.secrets.find = async () => await Promise.reject(new Error('connection refused by db.internal'))
    nowMs += 10_000
    const answer = await ask('POST', '/release', { body: { holdId: 'x', binding: 'y' }, token: secret })
    expect(answer.status).toBe(503)
    expect(JSON.stringify(answer.body)).not.toContain('db.internal')
  })
})
