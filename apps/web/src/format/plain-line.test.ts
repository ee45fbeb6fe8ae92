import { expect, test } from 'vitest'
import { formatEther } from './amount.ts'
import { plainLine } from './plain-line.ts'

test('a stranger’s words are one line of so many characters', () => {
  expect(plainLine(' a\n\n b\t c ', 64)).toBe('a b c')
  expect(Array.from(plainLine('😀'.repeat(100), 64))).toHaveLength(64)
  expect(plainLine('a\u202eb\u0000c', 64)).not.toMatch(/[\p{Cc}\p{Cf}]/u)
})

test.each([
  ['0', '0'],
  ['1', '0.000000000000000001'],
  ['1000000000000000', '0.001'],
  ['1230000000000000000', '1.23'],
  ['20000000000000000000', '20'],
])('%s wei are %s ETH', (wei, ether) => {
  expect(formatEther(wei)).toBe(ether)
})
