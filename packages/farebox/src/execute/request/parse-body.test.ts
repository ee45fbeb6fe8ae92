import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { parseBody } from './parse-body.ts'

const read = (body: string | Buffer): unknown =>
  parseBody({
    contentType: 'application/json',
    body: Buffer.from(body as string),
    paymentHeaders: [],
    calledUrl: '',
  })

test('D15 a body is JSON', () => {
  expect(read('{"a": 1}')).toEqual({ a: 1 })
})

test.each([
  ['nothing', '', 'must not be empty'],
  ['a compressed body', gzipSync('{"a": 1}'), 'must not be compressed'],
  ['a byte order mark', '\uFEFF{"a": 1}', 'must be JSON without a byte order mark'],
  ['UTF-16', Buffer.from('\uFEFF{"a": 1}', 'utf16le'), 'must be UTF-8'],
  ['half of it', '{"a":', 'must be JSON'],
])('D15 %s is refused with the reason', (_, body, reason) => {
  expect(() => read(body)).toThrow(new RegExp(`^body: ${reason}$|^${reason}$`))
})
