import type { Clock } from '@farebox/server/clock'
import { createHandover, type Handover } from './handover.ts'

/** Wakes whoever works in this process; what other processes do is found by looking from time to time. */
export interface Notifier {
  /** Something is due. */
  notify(): void
  /**
   * Resolves at once where {@link Notifier.notify} was called since the last wait, otherwise when it is, when the time is
   * over, or when the signal aborts. One at a time waits.
   */
  wait(longestMs: number, signal: AbortSignal): Promise<void>
}

/**
 * What may become due in one process of a platform.
 *
 * @example
 * ```ts
 * import { createDueWork } from '@farebox/platform/notifier'
 * import { systemClock } from '@farebox/server/clock'
 *
 * const due = createDueWork(systemClock)
 * due.jobs.notify()
 * await due.jobs.wait(60_000, new AbortController().signal) // at once
 * ```
 */
export function createDueWork(clock: Pick<Clock, 'sleep'>): {
  readonly jobs: Notifier
  readonly runs: Notifier
  readonly sending: Handover<{ readonly jobId: string }>
} {
  return { jobs: createNotifier(clock), runs: createNotifier(clock), sending: createHandover() }
}

/** Makes a notifier for one waiter. */
export function createNotifier(clock: Pick<Clock, 'sleep'>): Notifier {
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
        await clock.sleep(longestMs, over.signal)
        signal.removeEventListener('abort', wake)
        wake = undefined
      }
      isNotified = false
    },
  }
}
