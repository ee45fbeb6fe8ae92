import { createManualClock } from '@farebox/protocol/src/test-setup/manual-clock'
import type { Clock } from '@farebox/protocol/time/clock'

/** A clock that moves only when a test advances it. */
export interface ClockForTests extends Clock {
  /** Advances in steps of 5 ms; after each step, due callbacks and everything that follows from them run. */
  pass(ms: number): Promise<void>
  /** The number of waiting callbacks. */
  waiting(): number
}

/** Creates the clock, at zero. */
export function createClockForTests(): ClockForTests {
  const clock = createManualClock(0)
  return {
    ...clock,
    async pass(ms) {
      for (let passed = 0; passed < ms; passed += 5) {
        clock.pass(5)
        for (let turn = 0; turn < 20; turn += 1) await Promise.resolve()
      }
    },
  }
}
