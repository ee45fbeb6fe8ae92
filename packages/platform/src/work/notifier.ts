import { sleep, type Clock } from '@farebox/protocol/time/clock'

/** Wakes one waiter of this process. Work from other processes is found by polling. */
export interface Notifier {
  /** Wakes the waiter, because something is due. */
  notify(): void
  /**
   * Resolves at once when {@link Notifier.notify} was called since the last wait; otherwise when it is called, when the
   * time has elapsed, or when the signal aborts.
   *
   * @returns whether it was called
   */
  wait(longestMs: number, signal: AbortSignal): Promise<boolean>
}

/** Creates a notifier for one waiter. */
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
