import { createManualClock, type ManualClock } from '@farebox/protocol/src/test-setup/manual-clock'

/** A manual clock on which each wait advances the time. */
export interface TestClock extends ManualClock {
  /** The length of each short wait. */
  readonly waits: readonly number[]
}

/**
 * Waits of this length or longer are the client's timeouts, which end when a test advances the time; shorter ones are pauses
 * between retries, which end at once and advance the time.
 */
const SHORTEST_TIMEOUT_MS = 10_000

/** Creates a clock that shows the given Unix second. */
export function createTestClock(startSeconds: number): TestClock {
  const clock = createManualClock(startSeconds * 1_000)
  const waits: number[] = []
  return {
    ...clock,
    waits,
    after(ms, callback) {
      const cancel = clock.after(ms, callback)
      if (ms >= SHORTEST_TIMEOUT_MS) return cancel
      waits.push(ms)
      void Promise.resolve().then(() => clock.pass(ms))
      return cancel
    },
  }
}
