import { expect, test } from 'vitest'
import { inLoopTurn, isSmall } from './loop-turns.ts'

test('JSON is small by its values and its characters, however it is nested', () => {
  expect(isSmall({ text: 'a', list: [1, { deep: [null, true] }] })).toBe(true)
  expect(isSmall('x'.repeat(20_000))).toBe(false)
  expect(isSmall({ ['x'.repeat(20_000)]: 1 })).toBe(false)
  expect(isSmall(Array.from({ length: 2_000 }, () => 0))).toBe(false)
  expect(isSmall({ lists: Array.from({ length: 40 }, () => Array.from({ length: 40 }, () => 0)) })).toBe(
    false,
  )
})

test('small work is done at once, and large work after others had their turn', async () => {
  const done: string[] = []
  const large = inLoopTurn('x'.repeat(20_000), () => done.push('large'))
  const small = inLoopTurn('x', () => done.push('small'))
  await Promise.all([large, small])
  expect(done).toEqual(['small', 'large'])
})
