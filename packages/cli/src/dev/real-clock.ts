import type { Clock } from 'farebox'

/**
 * The machine's clock. The runtime has the same, but the watcher imports nothing of the runtime: it must have started
 * its first agent process before the runtime would have been read.
 */
export const realClock: Clock = {
  nowMs: () => Date.now(),
  after(delayMs, callback) {
    const timer = setTimeout(callback, delayMs)
    return () => clearTimeout(timer)
  },
}
