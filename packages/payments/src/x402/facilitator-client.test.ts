import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  answering,
  answeringLargely,
  breakingOff,
  dripping,
  resetting,
  silent,
  startServer,
  type Behaviour,
  type TestServer,
} from '../../testing/start-server.ts'
import type { FacilitatorRequest } from './facilitator-api.ts'
import { createFacilitatorClient, type FacilitatorClient } from './facilitator-client.ts'
import { findNetwork } from '../networks.ts'
import { createRequirement } from './requirement.ts'

const SECRET = 'fbs_sentinel_7f3a'
const TRANSACTION = `0x${'ab'.repeat(32)}`
const IN_TIME = { timeoutMs: 5_000 }
const NETWORK = findNetwork('eip155:84532')

let server: TestServer
let client: FacilitatorClient

beforeEach(async () => {
  server = await startServer()
  client = createFacilitatorClient({ url: `${server.url}/x402`, secret: SECRET })
})

afterEach(async () => {
  await server.stop()
  await client.close()
})

function request(): FacilitatorRequest {
  if (NETWORK === undefined) throw new Error('no network')
  const requirement = createRequirement({
    network: NETWORK,
    payTo: `0x${'22'.repeat(20)}`,
    amountAtomic: 10_000n,
    maxDeadlineSeconds: 20,
  })
  const authorization = {
    from: `0x${'11'.repeat(20)}`,
    to: requirement.payTo,
    value: '10000',
    validAfter: '0',
    validBefore: '1800000060',
    nonce: `0x${'33'.repeat(32)}`,
  }
  return {
    x402Version: 2,
    paymentPayload: {
      x402Version: 2,
      accepted: requirement,
      payload: { authorization, signature: `0x${'44'.repeat(65)}` },
    },
    paymentRequirements: requirement,
    extensions: { 'farebox-hold': { binding: `0x${'55'.repeat(32)}`, holdUntil: 1_800_000_050 } },
  }
}

/** Behaviours without a verdict, for every kind of request. */
const FAULTS: readonly (readonly [string, Behaviour])[] = [
  ['a reset', resetting],
  ['an answer that breaks off', breakingOff],
  ['HTTP 502 with HTML', answering(502, '<html>Bad gateway</html>')],
  ['HTTP 200 with HTML', answering(200, '<html>Welcome</html>')],
  ['HTTP 200 with nothing', answering(200, '')],
  ['HTTP 200 with null', answering(200, 'null')],
  ['HTTP 200 with an array', answering(200, [{ isValid: true, success: true, transaction: TRANSACTION }])],
  [
    'HTTP 200 with a verdict that is no boolean',
    answering(200, { isValid: 'true', success: 'true', transaction: TRANSACTION }),
  ],
  ['HTTP 404 without a verdict', answering(404, { error: 'not found' })],
  ['an answer of more than a megabyte', answeringLargely(1_100_000)],
  ['a redirect', answering(307, {}, { location: 'http://127.0.0.1:9/' })],
  [
    'a redirect that claims success',
    answering(302, { isValid: true, success: true, transaction: TRANSACTION }),
  ],
  ['a redirect that claims failure', answering(302, { isValid: false, success: false })],
  ['HTTP 408 that claims failure', answering(408, { isValid: false, success: false })],
  ['HTTP 425 that claims failure', answering(425, { isValid: false, success: false })],
  [
    'HTTP 429 that claims failure',
    answering(429, { isValid: false, success: false, errorReason: 'rate_limited' }),
  ],
  [
    'HTTP 500 that claims success',
    answering(500, { isValid: true, success: true, transaction: TRANSACTION }),
  ],
  ['HTTP 500 that claims failure', answering(500, { isValid: false, success: false })],
  [
    'HTTP 402 that claims success',
    answering(402, { isValid: true, success: true, transaction: TRANSACTION }),
  ],
]

test('D9 the request has the form of the x402 API, with the secret as a bearer token', async () => {
  server.behave(answering(200, { isValid: true }))
  await client.verify(request(), IN_TIME)
  server.behave(answering(200, { success: true, transaction: TRANSACTION, network: 'eip155:84532' }))
  await client.settle(request(), IN_TIME)
  expect(server.received.map(({ method, url }) => `${method} ${url}`)).toEqual([
    'POST /x402/verify',
    'POST /x402/settle',
  ])
  for (const { headers, body } of server.received) {
    expect(headers).toMatchObject({ authorization: `Bearer ${SECRET}`, 'content-type': 'application/json' })
    expect(JSON.parse(body)).toEqual(request())
  }
})

test('D9 fifty calls of every kind share a connection', async () => {
  server.behave(
    answering(200, { isValid: true, success: true, transaction: TRANSACTION, kinds: [], released: true }),
  )
  for (let index = 0; index < 50; index += 1) {
    await client.verify(request(), IN_TIME)
    await client.settle(request(), IN_TIME)
    await client.release({ holdId: 'hold', binding: 'b1' }, IN_TIME)
    await client.supported(IN_TIME)
  }
  expect(server.received).toHaveLength(200)
  // The pool opens a second one when a response was read before its connection is free again.
  expect(server.connections()).toBeLessThanOrEqual(2)
})

describe('verify', () => {
  test('D10 a valid payment has its hold when the facilitator supports holds', async () => {
    const hold = { holdId: 'h1', holdUntil: 1_800_000_050 }
    server.behave(answering(200, { isValid: true, payer: '0x', extensions: { 'farebox-hold': hold } }))
    expect(await client.verify(request(), IN_TIME)).toEqual({ kind: 'valid', hold })
    for (const budget of [
      { used: 8, limit: 10 },
      { used: 8, limit: 10, exhaustedAt: 1_800_010_000 },
    ]) {
      const near = { ...hold, budget }
      server.behave(answering(200, { isValid: true, payer: '0x', extensions: { 'farebox-hold': near } }))
      expect(await client.verify(request(), IN_TIME)).toEqual({ kind: 'valid', hold: near })
    }
  })

  test.each([
    undefined,
    null,
    {},
    { 'farebox-hold': null },
    { 'farebox-hold': { holdId: 1 } },
    { 'farebox-hold': { holdId: 'h1' } },
  ])('D9 a payment without a hold is accepted as valid too: extensions %j', async extensions => {
    server.behave(answering(200, { isValid: true, invalidReason: null, extensions }))
    expect(await client.verify(request(), IN_TIME)).toEqual({ kind: 'valid', hold: undefined })
  })

  test.each([200, 400, 402, 403, 404, 409, 412, 422])(
    'D11 a verdict against the payment counts with HTTP %s',
    async status => {
      server.behave(
        answering(status, {
          isValid: false,
          invalidReason: 'insufficient_funds',
          invalidMessage: 'the payer has too little',
        }),
      )
      expect(await client.verify(request(), IN_TIME)).toEqual({
        kind: 'invalid',
        reason: 'insufficient_funds',
        message: 'the payer has too little',
      })
    },
  )

  test('D41 a missing verdict has the facilitator’s message, without our secret', async () => {
    const error = 'the owner has used up its 20 settlements for today (UTC)'
    server.behave(answering(503, { error }))
    const cause = '/verify answered HTTP 503 without a verdict'
    expect(await client.verify(request(), IN_TIME)).toEqual({
      kind: 'unavailable',
      cause: `${cause}: ${error}`,
    })
    server.behave(answering(503, { error: { html: 1 } }))
    expect(await client.verify(request(), IN_TIME)).toEqual({ kind: 'unavailable', cause })
    server.behave(answering(503, { error: `no ${SECRET}` }))
    expect(JSON.stringify(await client.verify(request(), IN_TIME))).not.toContain(SECRET)
  })

  test('a verdict without a message gets one, and an endless one is truncated', async () => {
    server.behave(answering(200, { isValid: false, invalidReason: null }))
    expect(await client.verify(request(), IN_TIME)).toEqual({
      kind: 'invalid',
      reason: 'invalid_payment',
      message: '',
    })
    server.behave(
      answering(200, { isValid: false, invalidReason: 'x'.repeat(10_000), invalidMessage: { html: 1 } }),
    )
    expect(await client.verify(request(), IN_TIME)).toEqual({
      kind: 'invalid',
      reason: 'x'.repeat(300),
      message: '',
    })
  })

  test.each([
    ['401', answering(401, { error: 'unauthorized' })],
    ['401 with a verdict, which cannot be about the payment', answering(401, { isValid: false })],
    ['403 without a verdict', answering(403, { error: 'forbidden' })],
    ['403 with HTML', answering(403, '<html>Forbidden</html>')],
  ])('D11 it refused our secret: %s', async (_, behaviour) => {
    server.behave(behaviour)
    expect(await client.verify(request(), IN_TIME)).toEqual({ kind: 'unauthorized' })
  })

  test.each(FAULTS)('D12 %s is no verdict', async (_, behaviour) => {
    server.behave(behaviour)
    expect(await client.verify(request(), IN_TIME)).toMatchObject({
      kind: 'unavailable',
      cause: expect.stringMatching(/./),
    })
  })

  test('PAY-20 silence and a drip are no verdict, at the timeout', async () => {
    for (const behaviour of [silent, dripping]) {
      server.behave(behaviour)
      expect(await client.verify(request(), { timeoutMs: 100 })).toEqual({
        kind: 'unavailable',
        cause: expect.stringContaining('TimeoutError'),
      })
    }
  })

  test('PAY-19 a closed port is no verdict', async () => {
    await server.stop()
    expect(await client.verify(request(), IN_TIME)).toEqual({
      kind: 'unavailable',
      cause: expect.stringContaining('ECONNREFUSED'),
    })
  })

  test('D17 a timeout with fractions of a millisecond does not stop the call', async () => {
    server.behave(answering(200, { isValid: true }))
    expect(await client.verify(request(), { timeoutMs: 1_234.567 })).toMatchObject({ kind: 'valid' })
  })
})

describe('settle', () => {
  test('D7 a success with its transaction is a settlement, in lower case', async () => {
    server.behave(
      answering(200, {
        success: true,
        transaction: `0x${'AB'.repeat(32)}`,
        network: 'eip155:84532',
        errorReason: null,
      }),
    )
    expect(await client.settle(request(), IN_TIME)).toEqual({ kind: 'settled', transaction: TRANSACTION })
  })

  test.each([200, 400, 402, 403, 409, 422])('a failure counts with HTTP %s', async status => {
    server.behave(
      answering(status, {
        success: false,
        transaction: '',
        errorReason: 'insufficient_funds',
        errorMessage: 'too little',
      }),
    )
    expect(await client.settle(request(), IN_TIME)).toEqual({
      kind: 'failed',
      reason: 'insufficient_funds',
      message: 'too little',
      transaction: '',
    })
  })

  test('a failure names the failed transaction, and gets a reason if it has none', async () => {
    server.behave(answering(200, { success: false, transaction: TRANSACTION, errorReason: null }))
    expect(await client.settle(request(), IN_TIME)).toEqual({
      kind: 'failed',
      reason: 'settle_failed',
      message: '',
      transaction: TRANSACTION,
    })
  })

  test.each<readonly [string, Behaviour]>([
    [
      'settlement_pending with HTTP 200',
      answering(200, { success: false, errorReason: 'settlement_pending', transaction: TRANSACTION }),
    ],
    [
      'settlement_pending with HTTP 500',
      answering(500, { success: false, errorReason: 'settlement_pending', transaction: TRANSACTION }),
    ],
    [
      'settlement_pending with HTTP 402',
      answering(402, { success: false, errorReason: 'settlement_pending' }),
    ],
    [
      'a success that is still pending',
      answering(200, { success: true, errorReason: 'settlement_pending', transaction: TRANSACTION }),
    ],
    ['a success without a transaction', answering(200, { success: true })],
    ['a success with an empty transaction', answering(200, { success: true, transaction: '' })],
    ['a success with half a transaction', answering(200, { success: true, transaction: '0xabcd' })],
    [
      'a success with more than a transaction',
      answering(200, { success: true, transaction: `${TRANSACTION}00` }),
    ],
    ['HTTP 401', answering(401, { error: 'unauthorized' })],
    ['HTTP 401 that claims failure', answering(401, { success: false })],
    ['HTTP 403 without a verdict', answering(403, { error: 'forbidden' })],
    ...FAULTS,
  ])('D8 %s is neither success nor failure', async (_, behaviour) => {
    server.behave(behaviour)
    expect(await client.settle(request(), IN_TIME)).toEqual({
      kind: 'unknown',
      cause: expect.stringMatching(/./),
    })
  })

  test('D8 silence and a drip are neither, at the timeout', async () => {
    for (const behaviour of [silent, dripping]) {
      server.behave(behaviour)
      expect(await client.settle(request(), { timeoutMs: 100 })).toEqual({
        kind: 'unknown',
        cause: expect.stringContaining('TimeoutError'),
      })
    }
  })

  test('PAY-14 after a lost response the identical request is repeated on a working connection', async () => {
    server.behave(resetting)
    expect(await client.settle(request(), IN_TIME)).toMatchObject({ kind: 'unknown' })
    server.behave(answering(200, { success: true, transaction: TRANSACTION }))
    expect(await client.settle(request(), IN_TIME)).toEqual({ kind: 'settled', transaction: TRANSACTION })
    expect(server.received[1]?.body).toBe(server.received[0]?.body)
    expect(server.received).toHaveLength(2)
  })

  test('PAY-21 a closed port is neither', async () => {
    await server.stop()
    expect(await client.settle(request(), IN_TIME)).toEqual({
      kind: 'unknown',
      cause: expect.stringContaining('ECONNREFUSED'),
    })
  })
})

describe('release', () => {
  test('D10 names the hold and its purpose', async () => {
    server.behave(answering(200, { released: false }))
    await expect(client.release({ holdId: 'h1', binding: 'b1' }, IN_TIME)).resolves.toBeUndefined()
    expect(server.received).toEqual([
      expect.objectContaining({
        method: 'POST',
        url: '/x402/release',
        body: '{"holdId":"h1","binding":"b1"}',
      }),
    ])
  })

  test('rejects when it was not accepted', async () => {
    server.behave(answering(500, {}))
    await expect(client.release({ holdId: 'h1', binding: 'b1' }, IN_TIME)).rejects.toThrow(
      '/release answered HTTP 500',
    )
    server.behave(resetting)
    await expect(client.release({ holdId: 'h1', binding: 'b1' }, IN_TIME)).rejects.toThrow()
  })
})

describe('supported', () => {
  const kind = { x402Version: 2, scheme: 'exact', network: 'eip155:84532' }

  test('D9 is read with its kinds, extensions and signers', async () => {
    const supported = { kinds: [kind], extensions: ['farebox-hold'], signers: { 'eip155:84532': ['0x11'] } }
    server.behave(answering(200, supported))
    expect(await client.supported(IN_TIME)).toEqual(supported)
    expect(server.received[0]).toMatchObject({
      method: 'GET',
      url: '/x402/supported',
      headers: { authorization: `Bearer ${SECRET}` },
    })
  })

  test('D9 the older form, with kinds alone, is read too', async () => {
    server.behave(
      answering(200, { kinds: [{ ...kind, x402Version: 1, network: 'base-sepolia', extra: {} }] }),
    )
    expect(await client.supported(IN_TIME)).toMatchObject({
      kinds: [{ x402Version: 1, network: 'base-sepolia' }],
      extensions: [],
      signers: {},
    })
  })

  test('parts of /supported without the documented form are left out', async () => {
    server.behave(
      answering(200, {
        kinds: [kind, null, 'exact', { ...kind, scheme: 1 }],
        extensions: [1, 'a', null],
        signers: { 'eip155:*': ['0x11', 7], solana: 'x' },
      }),
    )
    expect(await client.supported(IN_TIME)).toEqual({
      kinds: [kind],
      extensions: ['a'],
      signers: { 'eip155:*': ['0x11'], solana: [] },
    })
  })

  test.each([
    ['HTTP 500', answering(500, { kinds: [] })],
    ['HTML', answering(200, '<html>')],
    ['no kinds', answering(200, { extensions: [] })],
  ])('rejects with %s', async (_, behaviour) => {
    server.behave(behaviour)
    await expect(client.supported(IN_TIME)).rejects.toThrow('/supported answered HTTP')
  })
})

test('OPS-08 no outcome ever holds the secret, not even one that HTTP cannot carry', async () => {
  const broken = createFacilitatorClient({ url: server.url, secret: `${SECRET}\n` })
  const outcomes = [await broken.verify(request(), IN_TIME), await broken.settle(request(), IN_TIME)]
  await broken.close()
  expect(outcomes.map(({ kind }) => kind)).toEqual(['unavailable', 'unknown'])
  expect(JSON.stringify(outcomes)).not.toContain(SECRET)
  expect(server.received).toEqual([])
})

test('OPS-08 a facilitator that repeats our secret in any form does not reveal it', async () => {
  const forms = [SECRET, Buffer.from(`Bearer ${SECRET}`).toString('base64'), encodeURIComponent(SECRET)]
  const said = `${'your header was '.repeat(17)} ${forms.join(' ')}`
  const told = { isValid: false, success: false, invalidReason: SECRET, errorReason: SECRET }
  server.behave(answering(200, { ...told, invalidMessage: said, errorMessage: said, transaction: said }))
  const outcomes = [await client.verify(request(), IN_TIME), await client.settle(request(), IN_TIME)]
  expect(outcomes).toMatchObject([{ kind: 'invalid' }, { kind: 'failed' }])
  // Not even a part of it, when a long message is truncated.
  expect(JSON.stringify(outcomes)).not.toMatch(/fbs_|sentinel|ZmJz|c2VudGluZWw/)
})
