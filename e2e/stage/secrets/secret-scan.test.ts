import { expect, test } from 'vitest'
import { createSecretScan } from './secret-scan.ts'

const SECRET = 'plantedsecret-"quoted"-3f8a2c1e9b4d'
const KEY = `0x${'9e3a71c4'.repeat(8)}`

test.each([
  ['as it is', SECRET],
  ['in JSON', JSON.stringify({ a: SECRET })],
  ['in a query', encodeURIComponent(SECRET)],
  ['in capital hex', Buffer.from(SECRET).toString('hex').toUpperCase()],
  ['in base64 of a header', Buffer.from(`{"authorization":"Bearer ${SECRET}"}`).toString('base64')],
  ['in base64url after a byte', Buffer.from(`{${SECRET}`).toString('base64url')],
  ['cut in half', SECRET.slice(0, 24)],
  ['without its beginning', SECRET.slice(-24)],
  ['that is a key, by its bytes', Buffer.from(KEY.slice(2), 'hex').toString('base64')],
])('a secret %s is found, wherever it begins, before and after it is known', (_, text) => {
  for (let before = 0; before < 9; before += 1) {
    const scan = createSecretScan()
    scan.read('log', `${'x'.repeat(before)} ${text.slice(0, 12)}`)
    scan.plant('it', SECRET)
    scan.plant('it', KEY)
    scan.read('log', `${text.slice(12)} and more`)
    expect(scan.leaks()).toEqual([expect.stringMatching(/^it in log, after: x* /)])
  }
})

test('a text without the secret is clean', () => {
  const scan = createSecretScan()
  scan.plant('it', SECRET)
  scan.read('log', `plantedsecret, job=${crypto.randomUUID()} [hidden] ${'ab'.repeat(200)}`)
  expect(scan.leaks()).toEqual([])
})
