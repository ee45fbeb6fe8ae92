/** Time as this package sees it: injected wherever something waits, so that tests need not. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  nowMs(): number
  /** Resolves after the time has passed; rejects with the signal's reason as soon as that aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}

/** The real time: the only place in this package that reads it. */
export const systemClock: Clock = {
  nowMs: () => Date.now(),
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      // An abort reason is whatever the caller gave; handing it on unchanged is the contract of signals.
      const abort = (): void => {
        clearTimeout(timer)
        reject(signal?.reason as Error)
      }
      const timer = setTimeout(() => {
        signal?.removeEventListener('abort', abort)
        resolve()
      }, ms)
      if (signal?.aborted === true) abort()
      else signal?.addEventListener('abort', abort, { once: true })
    }),
}
