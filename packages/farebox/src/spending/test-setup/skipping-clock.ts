import { systemClock, type Clock } from '@farebox/protocol/time/clock'

/** The machine's clock with a function to skip time. */
export interface SkippingClock extends Clock {
  /** Advances the clock, and calls the timers that are due then. */
  skip(ms: number): void
}

/** Makes a {@link SkippingClock}, for deadlines in tests with a real chain, whose time cannot be controlled. */
export function createSkippingClock(): SkippingClock {
  let aheadMs = 0
  const timers = new Set<{ readonly dueMs: number; readonly fire: () => void }>()
  const nowMs = (): number => systemClock.nowMs() + aheadMs
  return {
    nowMs,
    after(delayMs, callback) {
      const end = (): void => {
        timers.delete(timer)
        cancel()
      }
      const fire = (): void => {
        end()
        callback()
      }
      const timer = { dueMs: nowMs() + delayMs, fire }
      const cancel = systemClock.after(delayMs, fire)
      timers.add(timer)
      return end
    },
    skip(ms) {
      aheadMs += ms
      for (const { dueMs, fire } of timers) if (dueMs <= nowMs()) fire()
    },
  }
}
