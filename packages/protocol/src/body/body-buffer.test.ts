import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { MAX_BODY_PIECES } from '../limits.ts'
import { createBodyBuffer } from './body-buffer.ts'

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

test('a body has the same bytes, whatever its chunks', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 3_000 }), { maxLength: 40 }), pieces => {
      const body = createBodyBuffer(1_000_000)
      for (const piece of pieces) expect(body.add(piece)).toBeUndefined()
      expect(Buffer.from(body.bytes())).toEqual(Buffer.concat(pieces))
      expect(body.length).toBe(Buffer.concat(pieces).length)
    }),
  )
})

test('a body in one chunk is not copied', () => {
  const whole = bytes('{"a":1}')
  const body = createBodyBuffer(100)
  body.add(whole)
  expect(body.bytes()).toBe(whole)
})

test('the buffer of a chunked body is at most twice its bytes and a kilobyte', () => {
  const body = createBodyBuffer(1_000_000)
  for (let count = 1; count <= 20_000; count += 1) {
    body.add(bytes('a'))
    expect(body.bytes().buffer.byteLength).toBeLessThanOrEqual(Math.max(1_024, 2 * count))
  }
})

test('the maximum number of bytes is accepted, and one more is too large', () => {
  const body = createBodyBuffer(5)
  expect(body.add(bytes('abc'))).toBeUndefined()
  expect(body.add(bytes('de'))).toBeUndefined()
  expect(body.add(bytes('f'))).toBe('too large')
})

test('the maximum number of chunks is accepted, and one more is too many, even if it is empty', () => {
  const body = createBodyBuffer(10 * MAX_BODY_PIECES)
  for (let count = 1; count <= MAX_BODY_PIECES; count += 1) expect(body.add(bytes(''))).toBeUndefined()
  expect(body.add(bytes(''))).toBe('too many pieces')
})
