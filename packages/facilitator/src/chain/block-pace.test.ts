import { expect, test } from 'vitest'
import { createBlockPace } from './block-pace.ts'

function paceOf(...heads: readonly (readonly [number: number, seconds: number])[]): number {
  const pace = createBlockPace()
  for (const [number, seconds] of heads) pace.saw({ number: BigInt(number), seconds })
  return pace.blockMs()
}

test('the pace is that of Base until two blocks were seen', () => {
  expect(paceOf()).toBe(2_000)
  expect(paceOf([7, 1_000], [7, 1_000])).toBe(2_000)
})

test('the pace follows from the numbers and times of heads, not from how often they are read', () => {
  expect(paceOf([10, 1_000], [11, 1_012], [11, 1_012], [13, 1_036])).toBe(12_000)
  expect(paceOf([10, 1_000], [14, 1_002], [18, 1_004])).toBe(500)
})

test('old heads do not count, nor do those before a reorganisation', () => {
  const steady = Array.from({ length: 8 }, (_, index) => [100 + index, 5_000 + 2 * index] as const)
  expect(paceOf([1, 0], ...steady)).toBe(2_000)
  expect(paceOf([50, 0], [40, 100], [41, 104])).toBe(4_000)
})

test('a chain that makes a block for each transaction gets the pace of Base; an idle one gets the slowest pace', () => {
  expect(paceOf([1, 1_000], [500, 1_001])).toBe(2_000)
  expect(paceOf([1, 1_000], [2, 90_000])).toBe(12_000)
})
