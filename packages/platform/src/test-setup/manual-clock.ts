import type { Clock } from '@farebox/server/clock'

/** A clock that stands still until it is told to move. */
export interface ManualClock extends Clock {
  /** Lets time pass; sleeps that are over by then end. */
  pass(ms: number): void
  /** Sleeps that have not ended. */
  readonly sleeping: number
}

/** Makes a clock that stands at `startMs`; default 2027-01-01. */
export function createManualClock(startMs: number = Date.UTC(2027, 0, 1)): ManualClock {
  let nowMs = startMs
  const sleeps = new Set<{ readonly untilMs: number; readonly end: () => void }>()
  return {
    nowMs: () => nowMs,
    pass(ms) {
      nowMs += ms
      for (const sleep of sleeps) if (sleep.untilMs <= nowMs) sleep.end()
    },
    get sleeping() {
      return sleeps.size
    },
    sleep: (ms, signal) =>
      new Promise(resolve => {
        const end = (): void => {
          sleeps.delete(sleep)
          signal?.removeEventListener('abort', end)
          resolve()
        }
        const sleep = { untilMs: nowMs + ms, end }
        if (signal?.aborted === true || ms <= 0) return resolve()
        sleeps.add(sleep)
        signal?.addEventListener('abort', end, { once: true })
      }),
  }
}
