import type { Clock } from '@farebox/protocol/time/clock'

/** A clock on which each wait is over in the next microtask; it reports how long the wait would be, in milliseconds. */
export function atOnce(report: (delayMs: number) => unknown = () => undefined): Pick<Clock, 'after'> {
  return {
    after(delayMs, callback) {
      report(delayMs)
      queueMicrotask(callback)
      return () => undefined
    },
  }
}
