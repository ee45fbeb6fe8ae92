import { expect, test } from 'vitest'
import { isSmall } from './small-json.ts'

test('JSON is small when it has few values and few characters, however deeply it is nested', () => {
  expect(isSmall({ text: 'a', list: [1, { deep: [null, true] }] })).toBe(true)
  expect(isSmall(Object.fromEntries(Array.from({ length: 2_000 }, (_, nth) => [nth, 0])))).toBe(false)
  expect(isSmall('x'.repeat(20_000))).toBe(false)
  expect(isSmall({ ['x'.repeat(20_000)]: 1 })).toBe(false)
  expect(isSmall(Array.from({ length: 2_000 }, () => 0))).toBe(false)
  expect(isSmall({ lists: Array.from({ length: 40 }, () => Array.from({ length: 40 }, () => 0)) })).toBe(
    false,
  )
})
