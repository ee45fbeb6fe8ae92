import type { Clock } from '../src/exchange/clock.ts'

/** Time for tests: it stands still, except that waiting makes it pass. */
export interface TestClock extends Clock {
  /** Lets time pass; sleeps that are over by then end. */
  pass(ms: number): void
  /** How long each short wait was. */
  readonly waits: readonly number[]
  /** Sleeps that have not ended: none may be left when a call is over. */
  readonly pending: number
}

/**
 * This long and longer are the client's timeouts, which end when a test lets the time pass; shorter is what
 * it waits before it asks again, which ends at once, with the time passed.
 */
const SHORTEST_TIMEOUT_MS = 10_000

/** Makes a clock that stands at the given Unix second. */
export function createTestClock(startSeconds: number): TestClock {
  let now = startSeconds * 1_000
  const sleeps = new Set<{ readonly until: number; readonly end: () => void }>()
  const waits: number[] = []
  const pass = (ms: number): void => {
    now += ms
    for (const sleep of sleeps) if (sleep.until <= now) sleep.end()
  }
  return {
    nowMs: () => now,
    pass,
    waits,
    get pending() {
      return sleeps.size
    },
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        const abort = (): void => {
          sleeps.delete(sleep)
          reject(signal?.reason as Error)
        }
        const sleep = {
          until: now + ms,
          end() {
            sleeps.delete(sleep)
            signal?.removeEventListener('abort', abort)
            resolve()
          },
        }
        if (signal?.aborted === true) return reject(signal.reason as Error)
        signal?.addEventListener('abort', abort, { once: true })
        sleeps.add(sleep)
        if (ms < SHORTEST_TIMEOUT_MS) {
          waits.push(ms)
          pass(ms)
        }
      }),
  }
}
