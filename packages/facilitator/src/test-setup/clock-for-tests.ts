import type { Clock } from '@farebox/server/clock'

/** A clock that stands still until it is told to go on. */
export interface ClockForTests extends Clock {
  /** Goes on in steps of 5 ms; after each, whatever is due and follows from it happens. */
  pass(ms: number): Promise<void>
  /** How many sleep now. */
  sleepers(): number
}

/** Makes the clock, at zero. */
export function createClockForTests(): ClockForTests {
  let nowMs = 0
  const sleeping = new Set<{ readonly atMs: number; readonly wake: () => void }>()
  return {
    nowMs: () => nowMs,
    sleep: (ms, signal) =>
      new Promise(resolve => {
        const sleeper = {
          atMs: nowMs + ms,
          wake: () => {
            sleeping.delete(sleeper)
            resolve()
          },
        }
        sleeping.add(sleeper)
        if (signal?.aborted === true) sleeper.wake()
        signal?.addEventListener('abort', sleeper.wake)
      }),
    sleepers: () => sleeping.size,
    async pass(ms) {
      for (let passed = 0; passed < ms; passed += 5) {
        nowMs += 5
        for (const sleeper of sleeping) if (sleeper.atMs <= nowMs) sleeper.wake()
        for (let turn = 0; turn < 20; turn += 1) await Promise.resolve()
      }
    },
  }
}
