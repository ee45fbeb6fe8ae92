import type { StopSignal } from './clock.ts'

/**
 * Waits for work, and no longer than until the signal aborts: then the work goes on, and its outcome is ignored.
 *
 * @throws what the work rejected with; the signal's reason as soon as that aborts
 */
export function unlessAborted<T>(work: Promise<T>, signal: StopSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason)
    if (signal.aborted) abort()
    else signal.addEventListener('abort', abort)
    work.finally(() => signal.removeEventListener('abort', abort)).then(resolve, reject)
  })
}
