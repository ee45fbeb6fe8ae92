import type { StopSignal } from './clock.ts'

/**
 * Waits for work until the signal aborts; the work then continues, and its outcome is ignored.
 *
 * @throws the error of the work; the signal's reason as soon as it aborts
 */
export function unlessAborted<T>(work: Promise<T>, signal: StopSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason)
    if (signal.aborted) abort()
    else signal.addEventListener('abort', abort)
    work.finally(() => signal.removeEventListener('abort', abort)).then(resolve, reject)
  })
}
