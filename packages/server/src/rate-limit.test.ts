import { createManualClock } from '@farebox/protocol/src/test-setup/manual-clock'
import { expect, test } from 'vitest'
import { createRateLimit } from './rate-limit.ts'

test('API4 a name can use its allowance of a minute at once, then as many a minute, and never more', () => {
  const clock = createManualClock()
  const limit = createRateLimit(clock)
  const take = (times: number): number =>
    Array.from({ length: times }, () => limit('a', 60)).filter(wait => wait === undefined).length
  expect(take(100)).toBe(60)
  clock.pass(1_000)
  expect(take(100)).toBe(1)
  clock.pass(3_600_000)
  expect(take(100)).toBe(60)
})

test('a refused name gets the number of seconds until the next request is allowed', () => {
  const clock = createManualClock()
  const limit = createRateLimit(clock)
  expect([limit('a', 2), limit('a', 2), limit('a', 2)]).toEqual([undefined, undefined, 30])
  clock.pass(29_000)
  expect(limit('a', 2)).toBe(1)
  clock.pass(1_000)
  expect(limit('a', 2)).toBeUndefined()
})

test('memory is limited: active names stay counted, the name that was inactive longest is forgotten', () => {
  const limit = createRateLimit(createManualClock(), 3)
  limit('loud', 1)
  for (let other = 0; other < 10; other += 1) {
    limit(`other ${other}`, 1)
    expect(limit('loud', 1)).toBeDefined()
  }
  expect(limit('other 0', 1)).toBeUndefined()
})

test('a separate burst: this many at once, then the allowance per minute', () => {
  const clock = createManualClock()
  const limit = createRateLimit(clock)
  const take = (times: number): number =>
    Array.from({ length: times }, () => limit('a', 300, 10)).filter(wait => wait === undefined).length
  expect(take(100)).toBe(10)
  clock.pass(1_000)
  expect(take(100)).toBe(5)
  clock.pass(3_600_000)
  expect(take(100)).toBe(10)
})
