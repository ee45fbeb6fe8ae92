import { expect, test } from 'vitest'
import { createRestartPace } from './restart-pace.ts'

test('delays are short at first, longer after consecutive failures, and end after some', () => {
  const pace = createRestartPace()
  expect(Array.from({ length: 6 }, () => pace.next(200))).toEqual([100, 200, 400, 800, 1_600, undefined])
})

test('a worker that ran for a while did not fail at its start', () => {
  const pace = createRestartPace()
  for (let death = 0; death < 4; death += 1) pace.next(200)
  expect(pace.next(60_000)).toBe(100)
  expect(pace.next(200)).toBe(100)
  expect(pace.next(200)).toBe(200)
})
