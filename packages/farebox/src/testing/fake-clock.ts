import type { Clock } from '@farebox/protocol/time/clock'

/** A clock whose time advances only when a test calls `advance`. */
export interface FakeClock extends Clock {
  /**
   * Advances the time and calls the timers that become due: the earliest first, each at its own time. After each call
   * pending promises are settled, so that timers which they set are called as well.
   */
  advance(ms: number): Promise<void>
  /** The number of waiting timers. */
  waiting(): number
}

interface Timer {
  readonly dueMs: number
  readonly callback: () => void
}

/** Turns of the event loop after each timer; enough for a chain of promises without I/O. */
const SETTLE_TURNS = 3

/**
 * Makes a clock for tests of code that takes a `Clock`, such as a whole agent: `createAgent({ …, ports: { clock } })`.
 * Starts at `startMs` (Unix milliseconds; default 2027-01-01).
 *
 * @example
 * ```ts
 * import { createFakeClock } from 'farebox/testing'
 *
 * const clock = createFakeClock()
 * clock.after(60_000, () => console.log('a minute later'))
 * await clock.advance(60_000) // without waiting
 * ```
 */
export function createFakeClock(startMs: number = Date.UTC(2027, 0, 1)): FakeClock {
  const timers = new Set<Timer>()
  let nowMs = startMs
  return {
    nowMs: () => nowMs,
    after(delayMs, callback) {
      const timer = { dueMs: nowMs + Math.max(0, delayMs), callback }
      timers.add(timer)
      return () => void timers.delete(timer)
    },
    async advance(ms) {
      const untilMs = nowMs + ms
      await settle()
      for (
        let next = earliest(timers);
        next !== undefined && next.dueMs <= untilMs;
        next = earliest(timers)
      ) {
        timers.delete(next)
        nowMs = Math.max(nowMs, next.dueMs)
        next.callback()
        await settle()
      }
      nowMs = untilMs
    },
    waiting: () => timers.size,
  }
}

/**
 * The timer that is due first. Timers with the same time keep the order in which they were set, because a `Set` does.
 */
function earliest(timers: ReadonlySet<Timer>): Timer | undefined {
  let first: Timer | undefined
  for (const timer of timers) {
    if (first === undefined || timer.dueMs < first.dueMs) first = timer
  }
  return first
}

async function settle(): Promise<void> {
  for (let turn = 0; turn < SETTLE_TURNS; turn += 1) {
    await new Promise<void>(resolve => {
      setImmediate(resolve)
    })
  }
}
