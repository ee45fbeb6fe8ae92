import { createFakeClock } from 'farebox/testing'
import { expect, test } from 'vitest'
import { createBackoff } from '../dev-session.ts'
import { watchPulse } from './supervise-agent.ts'

test('a missing pulse is reported once, when several questions in a row were not answered', async () => {
  const clock = createFakeClock()
  const silences: number[] = []
  let answers = true
  const pulse = watchPulse(clock, {
    ask: () => {
      if (answers) pulse.received()
    },
    silent: silentMs => silences.push(silentMs),
  })
  await clock.advance(60_000)
  expect(silences).toEqual([])
  answers = false
  await clock.advance(4_000)
  answers = true
  await clock.advance(60_000)
  expect(silences).toEqual([])
  answers = false
  await clock.advance(60_000)
  expect(silences).toEqual([5_000])
  expect(clock.waiting()).toBe(0)
})

test('the first new process starts at once, later ones after growing pauses, until it runs well for a while', () => {
  const backoff = createBackoff()
  expect([0, 1, 2, 3, 4, 5, 6].map(atMs => backoff.nextMs(atMs))).toEqual([
    0, 250, 1_000, 2_000, 4_000, 8_000, 8_000,
  ])
  backoff.reset()
  expect(backoff.nextMs(7)).toBe(0)
  expect(backoff.nextMs(8)).toBe(250)
  expect(backoff.nextMs(20_000)).toBe(0)
})
