import { createHash } from 'node:crypto'
import { loadEvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import type { OwnersNearLimit, OwnerSummary } from '@farebox/payments/x402/facilitator-api'
import { systemClock } from '@farebox/protocol/time/clock'
import { silentLog } from '@farebox/server/log'
import type { FastifyInstance } from 'fastify'
import { beforeEach, expect, test } from 'vitest'
import { DEFAULT_LIMITS } from '../facilitator-limits.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { createMemoryLedger } from '../ledger/memory/memory-ledger.ts'
import { NETWORK, PAY_TO } from '../test-setup/payments-for-tests.ts'
import { createHttpApp } from './create-app.ts'
import { addOwnersRoutes } from './owners-routes.ts'
import { addSecretsRoutes } from './secrets-routes.ts'

const ADMIN_TOKEN = 'an-admin-token-of-tests'
const EIGHT = Date.UTC(2027, 0, 15, 8) / 1_000
const clock = { ...systemClock, nowMs: () => EIGHT * 1_000 }

let app: FastifyInstance
let ledger: Ledger

beforeEach(async () => {
  ledger = createMemoryLedger(clock)
  app = createHttpApp(silentLog)
  const limits = { ...DEFAULT_LIMITS.owners, grantedAtMost: 50 }
  addOwnersRoutes(app, { owners: ledger.owners, limits, clock, adminToken: ADMIN_TOKEN })
  const crypto = await loadEvmCrypto()
  addSecretsRoutes(app, { secrets: ledger.secrets, crypto, clock, adminToken: ADMIN_TOKEN })
})

async function ask(
  method: 'GET' | 'POST' | 'PUT',
  url: string,
  body?: object,
  token = ADMIN_TOKEN,
): Promise<{ readonly status: number; readonly body: unknown }> {
  const answer = await app.inject({
    method,
    url,
    headers: { authorization: `Bearer ${token}` },
    ...(body !== undefined && { payload: JSON.stringify(body) }),
  })
  return { status: answer.statusCode, body: answer.payload === '' ? undefined : answer.json() }
}

async function summaryOf(owner: string): Promise<OwnerSummary> {
  return (await ask('GET', `/owners/${owner}`)).body as OwnerSummary
}

async function hold(owner: string, count: number): Promise<void> {
  for (let made = 0; made < count; made += 1) {
    const name = createHash('sha256').update(`${owner} ${made}`).digest('hex')
    const outcome = await ledger.payments.hold({
      payment: {
        key: name,
        network: NETWORK.id,
        asset: NETWORK.asset.address,
        authorization: {
          from: `0x${name.slice(0, 40)}`,
          to: PAY_TO,
          value: '1',
          validAfter: '0',
          validBefore: String(EIGHT + 60),
          nonce: `0x${name}`,
        },
        signature: '0x',
      },
      binding: 'job',
      trace: '1'.repeat(32),
      owner,
      secretId: 'secret',
      holdId: name,
      holdUntil: EIGHT + 60,
      nowSeconds: EIGHT,
      observed: { balanceAtomic: 1n, blockNumber: 1n },
      alone: false,
      limits: DEFAULT_LIMITS.owners,
    })
    expect(outcome.kind).toBe('held')
  }
}

test('D41 each owner gets its own grant; an owner in the list without one gets that of listed owners', async () => {
  const owners = [{ owner: 'one', dailySettlements: 7 }, { owner: 'two', dailySettlements: 60 }, 'three']
  expect(await ask('PUT', '/owners', { owners, sponsorship: 'listed' })).toEqual({
    status: 204,
    body: undefined,
  })
  expect(await summaryOf('one')).toEqual({
    owner: 'one',
    sponsorship: 'listed',
    settlementsToday: 0,
    dailySettlements: 7,
    exhaustedAt: null,
    grantedSettlements: 7,
  })
  // More than the ceiling of this facilitator.
  expect(await summaryOf('two')).toMatchObject({ dailySettlements: 50, grantedSettlements: 60 })
  expect(await summaryOf('three')).toMatchObject({ dailySettlements: 100_000, grantedSettlements: null })
})

test("D41 an owner sees when its settlements of today will be used up at today's pace", async () => {
  await ask('PUT', '/owners', { owners: [{ owner: 'me', dailySettlements: 5 }], sponsorship: 'listed' })
  await hold('me', 4)
  expect(await summaryOf('me')).toMatchObject({ settlementsToday: 4, exhaustedAt: EIGHT + 2 * 3_600 })
})

test('D41 an owner near or at its limit is listed for callers with the service token only', async () => {
  const granted = (owner: string): object => ({ owner, dailySettlements: 5 })
  await ask('PUT', '/owners', {
    owners: [granted('far'), granted('near'), granted('out')],
    sponsorship: 'listed',
  })
  for (const [owner, count] of [['far', 3] as const, ['near', 4] as const, ['out', 5] as const])
    await hold(owner, count)
  const expected: OwnersNearLimit = {
    near: 1,
    at: 1,
    owners: [
      { owner: 'near', used: 4, limit: 5, exhaustedAt: EIGHT + 2 * 3_600 },
      { owner: 'out', used: 5, limit: 5, exhaustedAt: EIGHT },
    ],
  }
  expect(await ask('GET', '/owners?near=limit')).toEqual({ status: 200, body: expected })
  expect((await ask('GET', '/owners')).status).toBe(400)
  expect((await ask('GET', '/owners?near=limit', undefined, 'another-token')).status).toBe(401)
})

test('a grant that is not a whole number of at least 1 is refused, for every owner of the list', async () => {
  for (const dailySettlements of [0, -1, 1.5, '7', null, 2 ** 31]) {
    const owners = ['good', { owner: 'me', dailySettlements }]
    expect(await ask('PUT', '/owners', { owners, sponsorship: 'listed' })).toMatchObject({ status: 400 })
    const wanted = { owner: 'me', wallets: [PAY_TO], sponsorship: 'listed', dailySettlements }
    expect(await ask('POST', '/secrets', wanted)).toMatchObject({ status: 400 })
  }
  expect(await summaryOf('good')).toMatchObject({ sponsorship: 'named' })
  expect((await ask('PUT', '/owners', { owners: 'me', sponsorship: 'listed' })).status).toBe(400)
})

test('D41 a secret is created together with the grant of its owner', async () => {
  const wanted = { owner: 'me', wallets: [PAY_TO], sponsorship: 'listed', dailySettlements: 9 }
  expect((await ask('POST', '/secrets', wanted)).status).toBe(201)
  expect(await summaryOf('me')).toMatchObject({ sponsorship: 'listed', dailySettlements: 9 })
})
