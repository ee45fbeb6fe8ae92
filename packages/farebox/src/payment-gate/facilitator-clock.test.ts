import { expect, test } from 'vitest'
import { createLog } from '../log.ts'
import { createFakeClock } from '../testing/fake-clock.ts'
import { createFacilitatorClock } from './facilitator-clock.ts'

/** Feeds in responses that took 50 ms, of a facilitator whose clock differs by the given seconds. */
function hearing(): { hear(oursAheadSeconds: number): void; ahead(): number; lines(): string } {
  const clock = createFakeClock()
  let lines = ''
  const log = createLog({ format: 'text', write: text => (lines += text), nowMs: clock.nowMs })
  const facilitatorClock = createFacilitatorClock(clock, log)
  return {
    hear(oursAheadSeconds) {
      const sentMs = clock.nowMs()
      const theirsMs = Math.floor((sentMs - oursAheadSeconds * 1_000) / 1_000) * 1_000
      facilitatorClock.hear({ theirsMs, sentMs, receivedMs: sentMs + 50 })
    },
    ahead: () => Math.round(facilitatorClock.aheadSeconds()),
    lines() {
      log.flush()
      return lines
    },
  }
}

test('a clock difference is logged once, and once more when it is over', () => {
  const heard = hearing()
  for (const ahead of [300, 300, 300, 300]) heard.hear(ahead)
  expect(heard.lines().match(/clock is \d+ s ahead of its facilitator's/g)).toHaveLength(1)
  for (const ahead of [0, 0, 0]) heard.hear(ahead)
  expect(heard.lines().match(/agrees with its facilitator's again/g)).toHaveLength(1)
})

test('a single different answer is not logged, but is used for the check of payments', () => {
  const heard = hearing()
  heard.hear(0)
  heard.hear(-300)
  expect(heard.lines()).toBe('')
  expect(heard.ahead()).toBe(-300)
})

test('a difference of up to five seconds counts as none', () => {
  const heard = hearing()
  for (let answers = 0; answers < 3; answers += 1) heard.hear(5)
  expect([heard.ahead(), heard.lines()]).toEqual([0, ''])
})
