import { expect, test } from 'vitest'
import { createClockMeter, describeSkew } from './clock-meter.ts'

const THEIRS = 1_800_000_000_000

test.each([
  ['as theirs, in the middle of their second', 0.5, 0.6, 0],
  ['as theirs, and an answer that took 40 s', -0.2, 39.8, 0],
  ['300 s ahead', 300, 300.2, 299],
  ['300 s ahead, and an answer that took 40 s', 300, 340, 299],
  ['300 s behind', -300, -299.8, -299.8],
])('a clock %s', (_, sentSeconds, receivedSeconds, ahead) => {
  const meter = createClockMeter()
  const told = {
    theirsMs: THEIRS,
    sentMs: THEIRS + sentSeconds * 1_000,
    receivedMs: THEIRS + receivedSeconds * 1_000,
  }
  meter.hear(told)
  expect(meter.aheadSeconds(), 'after one answer').toBe(0)
  meter.hear(told)
  expect(meter.aheadSeconds()).toBeCloseTo(ahead, 5)
})

test('a difference that has ended is cleared by the next response', () => {
  const meter = createClockMeter()
  const wrong = { theirsMs: THEIRS, sentMs: THEIRS + 60_000, receivedMs: THEIRS + 60_001 }
  meter.hear(wrong)
  meter.hear(wrong)
  meter.hear({ theirsMs: THEIRS, sentMs: THEIRS + 100, receivedMs: THEIRS + 200 })
  expect(meter.aheadSeconds()).toBe(0)
})

test('a difference is reported from five seconds on', () => {
  expect(describeSkew(4.9, 'theirs')).toBeUndefined()
  expect(describeSkew(-300, "the node's")).toBe("our clock is 300 s behind the node's")
})
