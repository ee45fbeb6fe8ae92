import { sleep, type Clock } from '@farebox/protocol/time/clock'

/** Wakes a loop that waits for work. A notification while the loop is not waiting ends its next wait at once. */
export interface PassNotifier {
  notify(): void
  /** Discards a pending notification. */
  reset(): void
  /** Resolves at the next notification, after `timeoutMs` without one, or when `signal` aborts; never rejects. */
  wait(timeoutMs: number, signal: AbortSignal): Promise<void>
}

/** An explicit abort reason: without one each abort creates an exception with a stack trace. */
const NOTIFIED = 'notified'

/** Creates a notifier for one listener. */
export function createPassNotifier(clock: Clock): PassNotifier {
  let isNotified = false
  let wake = new AbortController()
  return {
    notify() {
      isNotified = true
      wake.abort(NOTIFIED)
    },
    reset() {
      isNotified = false
    },
    async wait(timeoutMs, signal) {
      if (!isNotified && !signal.aborted) {
        wake = new AbortController()
        const stop = (): void => wake.abort(NOTIFIED)
        signal.addEventListener('abort', stop, { once: true })
        await sleep(clock, timeoutMs, wake.signal)
        signal.removeEventListener('abort', stop)
      }
      isNotified = false
    },
  }
}
