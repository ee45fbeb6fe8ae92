import { expect, test } from 'vitest'
import { cutToLine } from './cut-to-line.ts'

test('untrusted text becomes one line of limited length', () => {
  expect(cutToLine(' a\n\n b\t c ', 64)).toBe('a b c')
  expect(Array.from(cutToLine('😀'.repeat(100), 64))).toHaveLength(64)
  expect(cutToLine('a\u202eb\u0000c', 64)).not.toMatch(/[\p{Cc}\p{Cf}]/u)
})
