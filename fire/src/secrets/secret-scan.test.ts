import { expect, test } from 'vitest'
import { createSecretScan } from './secret-scan.ts'

const SECRET = 'plantedsecret-"quoted"-3f8a2c1e9b4d'
const KEY = `0x${'9e3a71c4'.repeat(8)}`

test.each<[string, string, string]>([
  ['raw', SECRET, 'raw'],
  ['in JSON', JSON.stringify({ a: SECRET }), 'json'],
  ['in a query', encodeURIComponent(SECRET), 'percent'],
  ['in hex', Buffer.from(SECRET).toString('hex'), 'hex'],
  ['in capital hex', Buffer.from(SECRET).toString('hex').toUpperCase(), 'hex'],
  ['in base64', Buffer.from(SECRET).toString('base64'), 'base64'],
  ['in base64 of a header', Buffer.from(`{"authorization":"Bearer ${SECRET}"}`).toString('base64'), 'base64'],
  ['in base64url after a byte', Buffer.from(`{${SECRET}`).toString('base64url'), 'base64'],
  ['cut in half', SECRET.slice(0, 24), 'raw'],
  ['without its beginning', SECRET.slice(-24), 'raw'],
])('a secret %s is found, wherever it stands', (_, text, form) => {
  for (let before = 0; before < 9; before += 1) {
    const scan = createSecretScan()
    scan.plant('it', SECRET)
    scan.read('log', `${'x'.repeat(before)} ${text} and more`)
    const [leak, ...others] = scan.leaks()
    expect(others).toEqual([])
    // A piece without a quote in it is the same raw and in JSON.
    expect(leak).toMatchObject({
      secret: 'it',
      source: 'log',
      form: form === 'raw' ? expect.any(String) : form,
    })
    expect(leak?.around).not.toContain(SECRET.slice(0, 20))
  }
})

test('a key is found without its prefix and by its bytes, and a secret that came in two pieces is found', () => {
  const scan = createSecretScan()
  scan.read('before it was known', KEY.slice(2))
  scan.plant('key', KEY)
  scan.plant('it', SECRET)
  scan.read('bytes', Buffer.from(KEY.slice(2), 'hex').toString('base64'))
  scan.read('two', SECRET.slice(0, 12))
  scan.read('two', SECRET.slice(12))
  expect(scan.leaks().map(({ source }) => source)).toEqual(['before it was known', 'bytes', 'two'])
})

test('a text that is not a secret is not reported', () => {
  const scan = createSecretScan()
  scan.plant('it', SECRET)
  scan.read('log', `plantedsecret, job=${crypto.randomUUID()} [hidden] ${'ab'.repeat(200)}`)
  expect(scan.leaks()).toEqual([])
  expect(() => scan.plant('short', 'too short')).toThrow(RangeError)
})
