import { expect, test } from 'vitest'
import { createPollPace } from './poll-pace.ts'

test('due work is polled often while there is some, and rarely once there was none for a while', () => {
  let nowMs = 1_000
  const pace = createPollPace({ nowMs: () => nowMs }, { pollMs: 100, idleMs: 1_000 })
  expect(pace.pauseMs()).toBe(100)
  nowMs += 4_999
  expect(pace.pauseMs()).toBe(100)
  nowMs += 1
  expect(pace.pauseMs()).toBe(1_000)
  pace.busy()
  expect(pace.pauseMs()).toBe(100)
})
