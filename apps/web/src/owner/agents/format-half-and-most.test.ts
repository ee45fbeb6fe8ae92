import { expect, test } from 'vitest'
import { formatHalfAndMost } from './format-half-and-most.ts'

test.each([
  [600, 1_100, '0.6 / 1.1 s'],
  [20, 84, '20 / 84 ms'],
  [84, 1_100, '84 ms / 1.1 s'],
  [1_000, 64_000, '1.0 s / 1 min 4 s'],
  [null, null, 'not known'],
])('a median of %s ms and a 95th percentile of %s ms are written %s', (half, most, words) => {
  expect(formatHalfAndMost(half, most)).toBe(words)
})
