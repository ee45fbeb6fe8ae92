import { MAX_TIMER_MS } from '@farebox/protocol/limits'

/** The time, and a way to be called later. Injected, so that a test or a simulator can own it. */
export interface Clock {
  /** Unix milliseconds. */
  nowMs(): number
  /** Calls back once after the delay, unless the returned function is called before. Delays of any length. */
  after(delayMs: number, callback: () => void): () => void
}

/** The machine's own clock: the one place that names `Date.now` and `setTimeout`. */
export const systemClock: Clock = {
  nowMs: () => Date.now(),
  after(delayMs, callback) {
    let timer: NodeJS.Timeout
    const wait = (leftMs: number): void => {
      // Beyond this Node fires at once (D17), so long waits are made of several.
      timer =
        leftMs > MAX_TIMER_MS
          ? setTimeout(() => wait(leftMs - MAX_TIMER_MS), MAX_TIMER_MS)
          : setTimeout(callback, Math.max(0, leftMs))
    }
    wait(delayMs)
    return () => clearTimeout(timer)
  },
}

/**
 * Unix milliseconds as they were when this process started, and onward by the time that passed since: whoever sets the
 * machine's clock does not move it. For lifetimes within one process (D40).
 */
export const steadyClock: Clock = {
  nowMs: () => performance.timeOrigin + performance.now(),
  after: (delayMs, callback) => systemClock.after(delayMs, callback),
}

/** Resolves after the delay, or as soon as the signal aborts. */
export function sleep(clock: Clock, delayMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    if (signal?.aborted) return resolve()
    const wake = (): void => {
      cancel()
      signal?.removeEventListener('abort', wake)
      resolve()
    }
    const cancel = clock.after(delayMs, wake)
    signal?.addEventListener('abort', wake)
  })
}
