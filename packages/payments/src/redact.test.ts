import { expect, test } from 'vitest'
import { createRedactor, secretsInUrl } from './redact.ts'

const SECRET = 'fbx_0123456789abcdef_Planted-Secret/+"&?'
const KEY = `0x${'1f2e3d4c'.repeat(8)}`

test.each<[string, string]>([
  ['as it is', `Authorization: Bearer ${SECRET}`],
  ['in JSON', JSON.stringify({ authorization: `Bearer ${SECRET}` })],
  ['in a query', `https://node/?key=${encodeURIComponent(SECRET)}`],
  ['in hex', Buffer.from(`Bearer ${SECRET}`).toString('hex')],
  ...[0, 1, 2].map((before): [string, string] => [
    `in base64 after ${before} bytes`,
    Buffer.from(`${'>'.repeat(before)}${SECRET}~~`).toString('base64'),
  ]),
  ['in base64url', Buffer.from(`{${SECRET}}`).toString('base64url')],
])('OPS-08 a secret %s is hidden', (_, text) => {
  const shown = createRedactor([SECRET])(`before ${text} after`)
  expect(shown).toMatch(/^before .*\[hidden\].* after$/)
  for (const form of [SECRET, 'Planted', 'UGxhbnRlZ', 'BsYW50ZWQ', 'QbGFudGVk', '506c616e746564'])
    expect(shown).not.toContain(form)
})

test('a private key is hidden without its prefix, in capitals and as bytes', () => {
  const hide = createRedactor([KEY])
  const bytes = Buffer.from(KEY.slice(2), 'hex')
  for (const text of [KEY, KEY.slice(2), KEY.slice(2).toUpperCase(), bytes.toString('base64')])
    expect(hide(`key ${text} end`)).toMatch(/^key \S{0,12}\[hidden\]\S{0,4} end$/)
})

test('signatures, signed transactions and payment headers are hidden by their form', () => {
  const hide = createRedactor([])
  const signature = `0x${'ab'.repeat(65)}`
  expect(hide(`refused ${signature} as it is no good`)).toBe('refused 0x[hidden] as it is no good')
  expect(hide(`cut off: ${signature.slice(0, 100)}…`)).toBe('cut off: 0x[hidden]…')
  for (let before = 0; before < 300; before += 7)
    expect(hide(`${'z'.repeat(before)} ${signature.slice(2)} after`)).toBe(
      `${'z'.repeat(before)} [hidden] after`,
    )
  const header = Buffer.from(JSON.stringify({ x402Version: 2, payload: { signature, authorization: {} } }))
  expect(hide(`header ${header.toString('base64')} after`)).toBe('header [hidden] after')
})

test('text that is not a secret is unchanged: addresses, transactions, other base64, and short words', () => {
  const line =
    `completed job=${crypto.randomUUID()} transaction=0x${'ab'.repeat(32)} payer=0x${'cd'.repeat(20)} ` +
    Buffer.from(JSON.stringify({ text: 'x'.repeat(200) })).toString('base64')
  expect(createRedactor(['test', '', undefined, 'another secret'])(line)).toBe(line)
})

test('the password, the query and a key in the path of a URL are redacted, its host is not', () => {
  expect(secretsInUrl('https://user:p%40ssword@node.example/v3/0123456789abcdef?token=t%2Fken')).toEqual([
    'p%40ssword',
    'p@ssword',
    'user:p%40ssword@',
    'user:p@ssword@',
    '0123456789abcdef',
    '0123456789abcdef',
    't/ken',
  ])
  expect(secretsInUrl('https://api.example/platform/v2/x402')).toEqual([])
  expect(secretsInUrl('no url')).toEqual([])
  expect(secretsInUrl(undefined)).toEqual([])
})
