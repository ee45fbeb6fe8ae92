/** The time, and a way to be called later. Handed in, so that a run can share the clock of an agent of one's own. */
export interface Clock {
  /** Unix milliseconds. */
  nowMs(): number
  /** Calls back once after the delay, unless the returned function is called before. */
  after(delayMs: number, callback: () => void): () => void
}

/** The machine's own clock: the one place of this package that names `Date.now` and `setTimeout`. */
export const systemClock: Clock = {
  nowMs: () => Date.now(),
  after(delayMs, callback) {
    const timer = setTimeout(callback, Math.max(0, delayMs))
    return () => clearTimeout(timer)
  },
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
