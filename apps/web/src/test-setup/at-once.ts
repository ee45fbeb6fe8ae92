import type { Clock } from '@farebox/protocol/time/clock'

/** A clock on which each wait ends in the next microtask. It reports the length of each wait in milliseconds. */
export function atOnce(report: (delayMs: number) => unknown = () => undefined): Pick<Clock, 'after'> {
  return {
    after(delayMs, callback) {
      report(delayMs)
      queueMicrotask(callback)
      return () => undefined
    },
  }
}
