import { sleep, type Clock } from '@farebox/protocol/time/clock'

/** Wakes one waiter of this process; what other processes do is found by looking from time to time. */
export interface Notifier {
  /** Something is due. */
  notify(): void
  /**
   * Resolves at once where {@link Notifier.notify} was called since the last wait, otherwise when it is, when the time is
   * over, or when the signal aborts.
   *
   * @returns whether it was called
   */
  wait(longestMs: number, signal: AbortSignal): Promise<boolean>
}

/** Makes a notifier for one waiter. */
export function createNotifier(clock: Pick<Clock, 'after'>): Notifier {
  let isNotified = false
  let wake: (() => void) | undefined
  return {
    notify() {
      isNotified = true
      wake?.()
    },
    async wait(longestMs, signal) {
      if (!isNotified && !signal.aborted) {
        const over = new AbortController()
        wake = () => over.abort('woken')
        signal.addEventListener('abort', wake, { once: true })
        await sleep(clock, longestMs, over.signal)
        signal.removeEventListener('abort', wake)
        wake = undefined
      }
      const wasNotified = isNotified
      isNotified = false
      return wasNotified
    },
  }
}
