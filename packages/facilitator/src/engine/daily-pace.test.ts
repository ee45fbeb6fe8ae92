import { expect, test } from 'vitest'
import { expectedExhaustion, secondsToMidnight } from './daily-pace.ts'

const MIDNIGHT = Date.UTC(2027, 0, 15) / 1_000
const HOUR = 3_600

test('D41 a limit is expected to be used up at the pace since UTC midnight, and never after the day', () => {
  const at = (hours: number, used: number, limit: number | undefined = 100): number | undefined => {
    const expected = expectedExhaustion({ used, limit }, MIDNIGHT + hours * HOUR)
    return expected === undefined ? undefined : (expected - MIDNIGHT) / HOUR
  }
  expect(at(8, 80)).toBe(10)
  expect(at(12, 50)).toBeUndefined()
  expect(at(12, 51)).toBeCloseTo(23.53, 2)
  expect(at(8, 100)).toBe(8)
  // The limit was lowered meanwhile.
  expect(at(8, 120)).toBe(8)
  expect(at(8, 0)).toBeUndefined()
  expect(at(0, 90)).toBe(0)
  expect(expectedExhaustion({ used: 9, limit: undefined }, MIDNIGHT)).toBeUndefined()
})

test('D41 daily limits are reset at UTC midnight, at least a second from now', () => {
  expect(secondsToMidnight(MIDNIGHT)).toBe(86_400)
  expect(secondsToMidnight(MIDNIGHT - 1)).toBe(1)
  expect(secondsToMidnight(MIDNIGHT - 0.25)).toBe(1)
  expect(secondsToMidnight(MIDNIGHT + 23 * HOUR)).toBe(HOUR)
})
