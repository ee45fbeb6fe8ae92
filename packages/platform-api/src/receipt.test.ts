import { CompactSign, importJWK, SignJWT } from 'jose'
import { beforeAll, expect, test } from 'vitest'
import { canonicalJson } from './digest/canonical-json.ts'
import { hashJson, matchesHash, signReceipt, verifyReceipt, type Receipt } from './receipt.ts'
import { makeSigningKey, type KeySet, type MadeKey } from './receipt-keys.ts'

let key: MadeKey
let keys: KeySet
const STATEMENT: Receipt = {
  v: 1,
  iss: 'https://platform.example',
  job: 'a'.repeat(64),
  agent_id: 7,
  endpoint: 'https://agent.example',
  capability: 'count',
  input: 'b'.repeat(64),
  output: 'c'.repeat(64),
  amount: '0.01',
  amount_atomic: '10000',
  asset: `0x${'1'.repeat(40)}`,
  network: 'eip155:84532',
  payer: `0x${'2'.repeat(40)}`,
  pay_to: `0x${'3'.repeat(40)}`,
  transaction: `0x${'4'.repeat(64)}`,
  completed_at: 1_800_000_000.5,
  iat: 1_800_000_001,
}

beforeAll(async () => {
  key = await makeSigningKey()
  keys = { keys: [key.publicJwk] }
})

test('a receipt is verified offline against a saved key set, and its statement is returned', async () => {
  const saved: unknown = JSON.parse(JSON.stringify(keys))
  const verdict = await verifyReceipt(await signReceipt(STATEMENT, key), saved)
  expect(verdict).toEqual({ ok: true, receipt: STATEMENT, keyId: key.keyId })
})

test('a receipt signed before a rotation is verified by a key set with both keys', async () => {
  const next = await makeSigningKey()
  const rotated = { keys: [next.publicJwk, ...keys.keys] }
  expect(await verifyReceipt(await signReceipt(STATEMENT, key), rotated)).toMatchObject({
    ok: true,
    keyId: key.keyId,
  })
})

test('a receipt signed by a revoked key is refused whenever it was signed; the other keys stay valid', async () => {
  const next = await makeSigningKey()
  const revoked = { revoked_at: 1_900_000_000, reason: 'compromised' }
  const set = { keys: [next.publicJwk, { ...key.publicJwk, revoked }] }
  expect(await verifyReceipt(await signReceipt(STATEMENT, key), set)).toEqual({
    ok: false,
    reason: 'the platform revoked its key on 2030-03-17: ask the platform for the receipt anew',
  })
  expect(await verifyReceipt(await signReceipt(STATEMENT, next), set)).toMatchObject({ ok: true })
})

test('a receipt whose issuer differs from the issuer of the keys is refused', async () => {
  const jws = await signReceipt(STATEMENT, key)
  const ofAnother = { ...keys, issuer: 'https://other.example' }
  const reason =
    'it says that it is by https://platform.example, and these are the keys of https://other.example'
  expect(await verifyReceipt(jws, ofAnother)).toEqual({ ok: false, reason })
  expect(await verifyReceipt(jws, keys, 'https://other.example/')).toEqual({
    ok: false,
    reason: reason + '/',
  })
  expect(await verifyReceipt(jws, { ...keys, issuer: STATEMENT.iss }, STATEMENT.iss)).toMatchObject({
    ok: true,
  })
})

test('a platform on this machine is the same under each name of the local machine', async () => {
  const jws = await signReceipt({ ...STATEMENT, iss: 'http://127.0.0.1:4000' }, key)
  expect(await verifyReceipt(jws, keys, 'http://localhost:4000')).toMatchObject({ ok: true })
  expect(await verifyReceipt(jws, keys, 'http://localhost:4001')).toMatchObject({ ok: false })
})

test('a receipt that does not name its key is refused', async () => {
  const payload = new TextEncoder().encode(JSON.stringify(STATEMENT))
  const jws = await new CompactSign(payload)
    .setProtectedHeader({ alg: 'EdDSA', typ: 'farebox-receipt+jws' })
    .sign(await importJWK(key.privateJwk, 'EdDSA'))
  expect(await verifyReceipt(jws, keys)).toMatchObject({ ok: false, reason: expect.stringContaining('kid') })
})

test('a changed byte of the statement, another key and an unknown key are each refused with the reason', async () => {
  const jws = await signReceipt(STATEMENT, key)
  const [header = '', , signature = ''] = jws.split('.')
  const forged = Buffer.from(JSON.stringify({ ...STATEMENT, amount: '0.02' })).toString('base64url')
  const unknown = await makeSigningKey()
  const other = { ...unknown, keyId: key.keyId }
  expect(await verifyReceipt(`${header}.${forged}.${signature}`, keys)).toEqual({
    ok: false,
    reason: 'the signature does not fit what is stated',
  })
  expect(await verifyReceipt(await signReceipt(STATEMENT, other), keys)).toMatchObject({ ok: false })
  expect(await verifyReceipt(await signReceipt(STATEMENT, unknown), keys)).toEqual({
    ok: false,
    reason: 'it is signed with a key that is not in the key set',
  })
})

test('another statement signed by the same key, or another algorithm, does not pass for a receipt', async () => {
  const signer = await importJWK(key.privateJwk, 'EdDSA')
  const token = await new SignJWT({ ...STATEMENT })
    .setProtectedHeader({ alg: 'EdDSA', kid: key.keyId })
    .sign(signer)
  expect(await verifyReceipt(token, keys)).toEqual({
    ok: false,
    reason: 'it is signed by the platform, but is no receipt',
  })
  const unsigned = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${token.split('.')[1]}.`
  expect(await verifyReceipt(unsigned, keys)).toMatchObject({ ok: false })
  const shared = await new CompactSign(new TextEncoder().encode(JSON.stringify(STATEMENT)))
    .setProtectedHeader({ alg: 'HS256', kid: key.keyId, typ: 'farebox-receipt+jws' })
    .sign(new TextEncoder().encode('a public key taken for a shared secret'))
  expect(await verifyReceipt(shared, keys)).toEqual({ ok: false, reason: 'it is not signed with EdDSA' })
})

test.each(['', 'a.b.c', 'x'.repeat(20_000), 'eyJhbGciOiJFZERTQSJ9..', '\u0000'])(
  'garbage is refused without an exception: %#',
  async jws => {
    expect(await verifyReceipt(jws, keys)).toMatchObject({ ok: false })
  },
)

test.each([undefined, null, {}, { keys: [{ kty: 'RSA' }] }, 'keys'])(
  'an invalid key set is refused: %#',
  async set => {
    expect(await verifyReceipt(await signReceipt(STATEMENT, key), set)).toMatchObject({
      ok: false,
      reason: expect.stringContaining('key set'),
    })
  },
)

test('canonical JSON matches the example of RFC 8785', () => {
  const value: unknown = JSON.parse(
    String.raw`{"numbers":[333333333.33333329,1E30,4.50,2e-3,0.000000000000000000000000001],"string":"\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/","literals":[null,true,false]}`,
  )
  expect(canonicalJson(value)).toBe(
    String.raw`{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}`,
  )
})

test('canonical JSON sorts keys by their UTF-16 code units, as RFC 8785 requires', () => {
  const value: unknown = JSON.parse(
    String.raw`{"\u20ac":1,"\r":2,"\ufb33":3,"1":4,"\ud83d\ude00":5,"\u0080":6,"\u00f6":7,"__proto__":8,"10":9,"9":0}`,
  )
  expect(Object.keys(JSON.parse(canonicalJson(value)) as object)).toHaveLength(10)
  expect(canonicalJson(value)).toBe(
    '{"\\r":2,"1":4,"10":9,"9":0,"__proto__":8,"\u0080":6,"ö":7,"€":1,"😀":5,"\ufb33":3}',
  )
})

test('equal JSON in another order has the same hash, and different JSON has another', async () => {
  const hash = await hashJson({ a: [1, { b: 2, c: -0 }], d: '\ud800' })
  expect(await matchesHash({ d: '\ud800', a: [1, { c: 0, b: 2 }] }, hash)).toBe(true)
  expect(await matchesHash({ d: '\ud801', a: [1, { c: 0, b: 2 }] }, hash)).toBe(false)
})

test.each([undefined, Number.NaN, 1n, () => 1, { a: undefined }])('canonical JSON throws for %s', value => {
  expect(() => canonicalJson(value)).toThrow(TypeError)
})
