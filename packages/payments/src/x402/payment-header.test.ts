import * as fc from 'fast-check'
import { cpuRatio } from '@farebox/protocol/src/test-setup/cpu-ratio'
import { beforeAll, describe, expect, test } from 'vitest'
import { paymentKey } from '../authorization/eip-3009.ts'
import { loadEvmCrypto, type EvmCrypto } from '../crypto/evm-crypto.ts'
import { findNetwork } from '../networks.ts'
import { bindNonce } from '../authorization/nonce-binding.ts'
import { decodeHeader, decodePaymentHeader, encodeHeader } from './payment-header.ts'

const BASE_SEPOLIA = findNetwork('eip155:84532')
const FROM = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
const TO = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'
const ASSET = '0x036CbD53842c5426634e7929541eC2318f3dCF7e'
const NONCE = `0x${'aB'.repeat(32)}`
const SIGNATURE = `0x${'cD'.repeat(64)}1B`
const SALT = `0x${'eF'.repeat(16)}`

const AUTHORIZATION = {
  from: FROM,
  to: TO,
  value: '10000',
  validAfter: '0',
  validBefore: '1800000060',
  nonce: NONCE,
}
const ACCEPTED = {
  scheme: 'exact',
  network: 'eip155:84532',
  amount: '10000',
  asset: ASSET,
  payTo: TO,
  maxTimeoutSeconds: 60,
}
const V1 = {
  x402Version: 1,
  scheme: 'exact',
  network: 'eip155:84532',
  payload: { authorization: AUTHORIZATION, signature: SIGNATURE },
}
const V2 = {
  x402Version: 2,
  accepted: ACCEPTED,
  payload: { authorization: AUTHORIZATION, signature: SIGNATURE },
}

function withAuthorization(changes: object): object {
  return { ...V2, payload: { authorization: { ...AUTHORIZATION, ...changes }, signature: SIGNATURE } }
}

function reasonFor(envelope: object): string | undefined {
  const decoded = decodePaymentHeader(encodeHeader(envelope))
  return decoded.ok ? undefined : decoded.reason
}

function keyOf(header: string): string {
  const decoded = decodePaymentHeader(header)
  if (!decoded.ok || BASE_SEPOLIA === undefined) throw new Error(decoded.ok ? 'no network' : decoded.reason)
  return paymentKey(BASE_SEPOLIA, decoded.payment.authorization)
}

function upperHex(hex: string): string {
  return `0x${hex.slice(2).toUpperCase()}`
}

describe('the two envelopes', () => {
  const payment = {
    network: 'eip155:84532',
    asset: ASSET.toLowerCase(),
    accepted: { amount: '10000', payTo: TO.toLowerCase() },
    authorization: {
      ...AUTHORIZATION,
      from: FROM.toLowerCase(),
      to: TO.toLowerCase(),
      nonce: NONCE.toLowerCase(),
    },
    signature: SIGNATURE.toLowerCase(),
    salt: undefined,
  }

  test('D4 v2 is decoded into its canonical form', () => {
    expect(decodePaymentHeader(encodeHeader(V2))).toEqual({ ok: true, payment })
  })

  test('D4 v1 with a CAIP-2 network is decoded too; it names no asset and no terms', () => {
    expect(decodePaymentHeader(encodeHeader(V1))).toEqual({
      ok: true,
      payment: { ...payment, asset: undefined, accepted: undefined },
    })
  })

  test('PAY-34 unknown keys are ignored', () => {
    const chatty = { ...V2, resource: { url: 'x' }, extensions: { other: [1] }, more: { a: [{}] } }
    expect(decodePaymentHeader(encodeHeader(chatty))).toEqual({ ok: true, payment })
  })

  test('D13 the salt of a bound nonce is read from the extensions of both', () => {
    const extensions = { 'farebox-nonce': { salt: SALT } }
    for (const envelope of [V1, V2]) {
      expect(decodePaymentHeader(encodeHeader({ ...envelope, extensions }))).toMatchObject({
        ok: true,
        payment: { salt: SALT.toLowerCase() },
      })
    }
  })
})

describe('PAY-08 in any envelope an authorization is the same payment', () => {
  const key = `84532:${ASSET.toLowerCase()}:${FROM.toLowerCase()}:${NONCE.toLowerCase()}`

  test.each([
    ['the v2 envelope', encodeHeader(V2)],
    ['the v1 envelope', encodeHeader(V1)],
    ['without padding', encodeHeader(V2).replace(/=+$/, '')],
    ['with an extra key, which changes the padding', encodeHeader({ ...V2, a: 1 })],
    ['with another extra key', encodeHeader({ ...V2, ab: 1 })],
    [
      'upper-case hex',
      encodeHeader(withAuthorization({ from: upperHex(FROM), to: upperHex(TO), nonce: upperHex(NONCE) })),
    ],
    [
      'lower-case hex',
      encodeHeader(
        withAuthorization({ from: FROM.toLowerCase(), to: TO.toLowerCase(), nonce: NONCE.toLowerCase() }),
      ),
    ],
    ['JSON with white space', btoa(JSON.stringify(V2, undefined, 3))],
    ['JSON with escapes', btoa(JSON.stringify(V2).replace('"from"', String.raw`"\u0066rom"`))],
    ['JSON in which a key comes twice', btoa(JSON.stringify(V2).replace('{"from"', '{"nonce":"0x","from"'))],
  ])('%s', (_, header) => {
    expect(keyOf(header)).toBe(key)
  })

  test('it is the same payment in any order of its keys', () => {
    const keys = Object.keys(AUTHORIZATION) as (keyof typeof AUTHORIZATION)[]
    fc.assert(
      fc.property(fc.shuffledSubarray(keys, { minLength: keys.length }), fc.boolean(), (order, first) => {
        const authorization = Object.fromEntries(order.map(name => [name, AUTHORIZATION[name]]))
        const payload = first
          ? { authorization, signature: SIGNATURE }
          : { signature: SIGNATURE, authorization }
        expect(
          keyOf(encodeHeader(first ? { ...V2, payload } : { payload, accepted: ACCEPTED, x402Version: 2 })),
        ).toBe(key)
      }),
    )
  })

  let crypto: EvmCrypto
  beforeAll(async () => {
    crypto = await loadEvmCrypto()
  })

  test('D13 a bound nonce in capitals still counts as bound', () => {
    const nonce = bindNonce(
      crypto,
      { endpoint: 'https://agent.example/execute', capability: 'count', jobId: 'x' },
      new Uint8Array(16),
    )
    const decoded = decodePaymentHeader(encodeHeader(withAuthorization({ nonce: upperHex(nonce) })))
    expect(decoded).toMatchObject({ ok: true, payment: { authorization: { nonce } } })
  })
})

describe('refused headers, each with its reason', () => {
  test.each(['', '====', 'AAA,BBB', 'AAAA BBBB', 'AAAA\n', 'A', 'AA=', 'A===', '=AAA', 'é'])(
    'PAY-34 %j is not standard base64',
    header => {
      expect(decodeHeader(header)).toBeUndefined()
      expect(decodePaymentHeader(header)).toEqual({
        ok: false,
        reason: 'the payment header must be base64 of a JSON object',
      })
    },
  )

  test('D4 a header that is too long is refused with the limit', () => {
    expect(decodePaymentHeader('A'.repeat(12_001))).toEqual({
      ok: false,
      reason: 'the payment header is too long: at most 12000 characters, got 12001',
    })
  })

  test.each([
    ['JSON behind a byte order mark', Buffer.from(`\uFEFF${JSON.stringify(V2)}`)],
    ['UTF-16', Buffer.from(JSON.stringify(V2), 'utf16le')],
    ['broken UTF-8', Buffer.concat([Buffer.from('{"a":"'), Buffer.of(0xff), Buffer.from('"}')])],
    ['two values', Buffer.from('{}{}')],
    ['the other base64 within', Buffer.from(encodeHeader(V2))],
    ['deep nesting', Buffer.from('['.repeat(8_000))],
  ])('PAY-34 base64 of %s', (_, bytes) => {
    expect(decodePaymentHeader(bytes.toString('base64'))).toEqual({
      ok: false,
      reason: 'the payment header must be base64 of a JSON object',
    })
  })

  test('PAY-34 half of the padding is not standard base64, but all or none of it is', () => {
    const header = ['', 'a', 'ab'].map(text => encodeHeader({ text })).find(text => text.endsWith('=='))
    expect(header && decodeHeader(header)).toBeTypeOf('object')
    expect(header && decodeHeader(header.slice(0, -2))).toEqual(header && decodeHeader(header))
    expect(header && decodeHeader(header.slice(0, -1))).toBeUndefined()
  })

  test('PAY-34 an invalid header does not affect the next', () => {
    expect(decodeHeader(Buffer.of(0x22, 0xf0, 0x9f).toString('base64'))).toBeUndefined()
    expect(decodePaymentHeader(encodeHeader(V2)).ok).toBe(true)
  })

  test('PAY-34 a header of a megabyte is refused before it is decoded', () => {
    const header = encodeHeader({ ...V2, padding: 'x'.repeat(1_000_000) })
    const often = (work: () => unknown) => (): void => {
      for (let index = 0; index < 20; index += 1) work()
    }
    const ratio = cpuRatio(
      often(() => expect(decodePaymentHeader(header).ok).toBe(false)),
      often(() => Buffer.from(header, 'base64').toString()),
      0.5,
    )
    expect(ratio).toBeLessThan(0.5)
  })

  test('PAY-34 a header of 12,000 characters is read, one of more is not', () => {
    const fill = (length: number): string => encodeHeader({ ...V2, padding: 'x'.repeat(length) })
    expect(fill(8_200).length).toBeLessThanOrEqual(12_000)
    expect(decodePaymentHeader(fill(8_200)).ok).toBe(true)
    expect(decodePaymentHeader(fill(9_000)).ok).toBe(false)
  })

  test.each([
    [{}, 'x402Version must be 2 (or 1)'],
    [{ ...V2, x402Version: 3 }, 'x402Version must be 2 (or 1)'],
    [{ ...V2, x402Version: '2' }, 'x402Version must be 2 (or 1)'],
    [{ ...V1, x402Version: 2 }, 'accepted must be an object: the entry of accepts that this pays'],
    [{ ...V2, accepted: [ACCEPTED] }, 'accepted must be an object: the entry of accepts that this pays'],
    [{ ...V2, accepted: { ...ACCEPTED, scheme: 'upto' } }, 'scheme must be "exact"'],
    [{ ...V1, scheme: undefined }, 'scheme must be "exact"'],
    [{ ...V1, network: 'base-sepolia' }, 'network must be "eip155:<chain id>"'],
    [{ ...V1, network: 'eip155:084532' }, 'network must be "eip155:<chain id>"'],
    [{ ...V2, accepted: { ...ACCEPTED, network: 84532 } }, 'network must be "eip155:<chain id>"'],
    [{ ...V2, accepted: { ...ACCEPTED, asset: 'USDC' } }, 'accepted.asset must be an address'],
    [
      { ...V2, accepted: { ...ACCEPTED, amount: 10_000 } },
      'accepted.amount must be a decimal string of atomic units',
    ],
    [{ ...V2, accepted: { ...ACCEPTED, payTo: null } }, 'accepted.payTo must be an address'],
    [{ ...V2, payload: undefined }, 'payload must be an object'],
    [{ ...V2, payload: 'x' }, 'payload must be an object'],
    [{ ...V2, payload: { signature: SIGNATURE } }, 'payload.authorization must be an object'],
    [
      { ...V2, payload: { authorization: [], signature: SIGNATURE } },
      'payload.authorization must be an object',
    ],
    [withAuthorization({ from: FROM.slice(2) }), 'authorization.from must be an address'],
    [withAuthorization({ to: `${TO}00` }), 'authorization.to must be an address'],
    [withAuthorization({ nonce: '0x01' }), 'authorization.nonce must be 32 bytes of hex'],
    [withAuthorization({ nonce: `${NONCE}\n` }), 'authorization.nonce must be 32 bytes of hex'],
    [
      { ...V2, extensions: { 'farebox-nonce': { salt: '0x01' } } },
      'extensions["farebox-nonce"].salt must be 16 bytes of hex',
    ],
    [
      { ...V2, extensions: { 'farebox-nonce': null } },
      'extensions["farebox-nonce"].salt must be 16 bytes of hex',
    ],
  ])('PAY-34 %j', (envelope, reason) => {
    expect(reasonFor(envelope)).toBe(reason)
  })

  const SPELLINGS = '| 10 |0x10|1e3|-1|1.0|+1|007|１|1n'.split('|')
  const OTHERS = [true, 10, null, ['1'], '1'.repeat(79), (2n ** 256n).toString()]
  test.each([...SPELLINGS, ...OTHERS])('PAY-27 %j is neither a value nor a time', value => {
    expect(reasonFor(withAuthorization({ value }))).toBe(
      'authorization.value must be a decimal string of atomic units',
    )
    expect(reasonFor(withAuthorization({ validAfter: value }))).toMatch(/^authorization\.validAfter/)
    expect(reasonFor(withAuthorization({ validBefore: value }))).toMatch(/^authorization\.validBefore/)
  })

  test('D4 values are below 2^256 and times below 2^47', () => {
    expect(reasonFor(withAuthorization({ value: (2n ** 256n - 1n).toString() }))).toBeUndefined()
    expect(reasonFor(withAuthorization({ validBefore: (2n ** 47n - 1n).toString() }))).toBeUndefined()
    expect(reasonFor(withAuthorization({ validBefore: (2n ** 47n).toString() }))).toMatch(/below 2\^47/)
    expect(reasonFor(withAuthorization({ validAfter: (2n ** 47n).toString() }))).toMatch(
      /^authorization\.validAfter/,
    )
  })

  test.each([
    [undefined, 'payload.signature must be hex'],
    ['cd'.repeat(65), 'payload.signature must be hex'],
    [`0x${'cd'.repeat(64)}`, 'payload.signature must be 65 bytes'],
    ['0x', 'payload.signature must be 65 bytes'],
    [
      `0x${'cd'.repeat(66)}`,
      'payload.signature is longer than 65 bytes: contract wallets are not supported yet, pay from an ordinary one',
    ],
    [
      `0x${'cd'.repeat(640)}`,
      'payload.signature is longer than 65 bytes: contract wallets are not supported yet, pay from an ordinary one',
    ],
  ])('D4 a signature of %.20s', (signature, reason) => {
    expect(reasonFor({ ...V2, payload: { authorization: AUTHORIZATION, signature } })).toBe(reason)
  })

  test('VAL-01 nothing is read from a prototype in the JSON', () => {
    const header = btoa(`{"__proto__":${JSON.stringify(V2)}}`)
    expect(decodePaymentHeader(header)).toEqual({ ok: false, reason: 'x402Version must be 2 (or 1)' })
    expect(decodePaymentHeader(btoa(JSON.stringify(V2).replace('"payload"', '"__proto__"')))).toMatchObject({
      ok: false,
    })
  })
})

describe('arbitrary input', () => {
  test('D4 no string makes the decoder throw', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.base64String()), header => {
        expect(decodePaymentHeader(header).ok).toBe(false)
      }),
    )
  })

  test('D4 no JSON makes it throw, at any place of an envelope', () => {
    const place = fc.constantFrom(
      ...Object.keys({ ...V1, ...V2, extensions: 1 }),
      ...Object.keys(AUTHORIZATION),
      ...Object.keys(ACCEPTED),
      'signature',
    )
    fc.assert(
      fc.property(fc.jsonValue(), place, (value, name) => {
        const change = (object: object): object => (name in object ? { ...object, [name]: value } : object)
        const payload = change({ signature: SIGNATURE, authorization: change(AUTHORIZATION) })
        for (const envelope of [
          { ...V1, payload },
          { ...V2, payload, accepted: change(ACCEPTED), extensions: {} },
        ]) {
          expect(typeof decodePaymentHeader(encodeHeader(change(envelope))).ok).toBe('boolean')
        }
      }),
    )
  })

  test('D3 a header is decoded to the encoded value, with every possible character', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.jsonValue(), (text, value) => {
        const written = { text, value }
        expect(JSON.stringify(decodeHeader(encodeHeader(written)))).toBe(JSON.stringify(written))
      }),
      {
        examples: [
          ['naïve café 🚌 \u2028', null],
          ['\uFEFF', null],
          ['\uD800', null],
        ],
      },
    )
  })

  test('D3 a header is ASCII, as HTTP requires, and Node’s own base64 decodes it', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), text => {
        const header = encodeHeader({ text })
        expect(header).toMatch(/^[A-Za-z0-9+/]+={0,2}$/)
        expect(Buffer.from(header, 'base64').toString()).toBe(JSON.stringify({ text }))
      }),
    )
  })
})
