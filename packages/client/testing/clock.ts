import { createManualClock, type ManualClock } from '@farebox/protocol/src/test-setup/manual-clock'

/** A manual clock on which waiting makes time pass. */
export interface TestClock extends ManualClock {
  /** How long each short wait was. */
  readonly waits: readonly number[]
}

/**
 * This long and longer are the client's timeouts, which end when a test lets the time pass; shorter is what
 * it waits before it asks again, which ends at once, with the time passed.
 */
const SHORTEST_TIMEOUT_MS = 10_000

/** Makes a clock that shows the given Unix second. */
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
