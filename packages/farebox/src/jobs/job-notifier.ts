import type { Clock } from '@farebox/protocol/time/clock'

/** Wakes requests of this process that wait for a job, so that they do not depend on polling alone. */
export interface JobNotifier {
  /** Reports that the job has changed. */
  notify(jobKey: string): void
  /** Resolves when the job has changed, or after `atMostMs`: other processes notify only their own waiters. */
  wait(jobKey: string, atMostMs: number): Promise<void>
  /** The number of requests that wait for the job. */
  waiting(jobKey: string): number
}

/** Makes the notifier. It calls `changed` before it wakes the waiters of a job. */
export function createJobNotifier(
  clock: Clock,
  changed: (jobKey: string) => void = () => undefined,
): JobNotifier {
  const waiting = new Map<string, Set<() => void>>()
  return {
    notify(jobKey) {
      changed(jobKey)
      const woken = waiting.get(jobKey)
      waiting.delete(jobKey)
      for (const wake of woken ?? []) wake()
    },
    wait: (jobKey, atMostMs) =>
      new Promise(resolve => {
        const listeners = waiting.get(jobKey) ?? new Set()
        waiting.set(jobKey, listeners)
        const wake = (): void => {
          cancel()
          listeners.delete(wake)
          if (listeners.size === 0 && waiting.get(jobKey) === listeners) waiting.delete(jobKey)
          resolve()
        }
        const cancel = clock.after(atMostMs, wake)
        listeners.add(wake)
      }),
    waiting: jobKey => waiting.get(jobKey)?.size ?? 0,
  }
}
