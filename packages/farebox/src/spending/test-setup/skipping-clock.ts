import { systemClock, type Clock } from '@farebox/protocol/time/clock'

/** The machine's clock, of which a test can skip a part. */
export interface SkippingClock extends Clock {
  /** Puts the clock forward; what falls due by that is called. */
  skip(ms: number): void
}

/** Makes one: for deadlines beside a real chain, which takes the time that it takes. */
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
