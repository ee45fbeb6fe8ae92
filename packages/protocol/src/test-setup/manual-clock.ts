import type { Clock } from '../time/clock.ts'

/** A clock whose time advances only when a test advances it. */
export interface ManualClock extends Clock {
  /** Advances the time, and runs the callbacks that are due, earliest first. */
  pass(ms: number): void
  /** The number of waiting callbacks. */
  waiting(): number
}

interface Timer {
  readonly dueMs: number
  readonly callback: () => void
}

/** Creates a clock that shows `startMs`, Unix milliseconds; default 2027-01-01. */
export function createManualClock(startMs: number = Date.UTC(2027, 0, 1)): ManualClock {
  const timers = new Set<Timer>()
  let nowMs = startMs
  const fireDue = (): void => {
    const due = [...timers]
      .filter(({ dueMs }) => dueMs <= nowMs)
      .sort((one, other) => one.dueMs - other.dueMs)
    for (const timer of due) if (timers.delete(timer)) timer.callback()
  }
  return {
    nowMs: () => nowMs,
    after(delayMs, callback) {
      const timer = { dueMs: nowMs + Math.max(0, delayMs), callback }
      timers.add(timer)
      if (delayMs <= 0) void Promise.resolve().then(fireDue)
      return () => void timers.delete(timer)
    },
    pass(ms) {
      nowMs += ms
      fireDue()
    },
    waiting: () => timers.size,
  }
}
