import { createManualClock } from '@farebox/protocol/src/test-setup/manual-clock'
import type { Clock } from '@farebox/protocol/time/clock'

/** A clock that moves only when it is advanced. */
export interface ClockForTests extends Clock {
  /** Goes on in steps of 5 ms; after each, whatever is due and follows from it happens. */
  pass(ms: number): Promise<void>
  /** How many callbacks wait. */
  waiting(): number
}

/** Makes the clock, at zero. */
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
