import { expect, test } from 'vitest'
import { refuseResponse } from './response-limits.ts'

const MIB_5 = 5 * 1_048_576
const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text)

test('D39 a response of exactly the maximum size is accepted, and one more byte is refused with the size', () => {
  expect(refuseResponse(utf8(JSON.stringify('a'.repeat(MIB_5 - 2))))).toBeUndefined()
  expect(refuseResponse(utf8(JSON.stringify('a'.repeat(MIB_5 - 1))))).toBe(
    'must be at most 5242880 bytes with all around it, got 5242881',
  )
})

test('D39 the limit counts bytes of UTF-8, not characters', () => {
  expect(refuseResponse(utf8(JSON.stringify('é'.repeat(MIB_5 / 2))))).toContain('got 5242882')
})

test('D39 a response of exactly the maximum depth is accepted, and one more level is refused', () => {
  const nested = (levels: number): Uint8Array =>
    utf8(`${'['.repeat(levels)}"${'x'.repeat(200)}"${']'.repeat(levels)}`)
  expect(refuseResponse(nested(64))).toBeUndefined()
  expect(refuseResponse(nested(65))).toBe('must be nested at most 64 deep with all around it, in 332 bytes')
})
