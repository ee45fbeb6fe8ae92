import { randomUUID } from 'node:crypto'
import type { Clock } from '@farebox/server/clock'
import { createHandover, type Handover } from './handover.ts'
import { createChannel, type Channel } from './channel.ts'

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

/** What may become due in a process, each with who waits for it. */
export interface DueWork {
  /** Jobs to be sent, for `startJobs`. */
  readonly jobs: Notifier
  /** Runs to be driven, for `startRuns`. */
  readonly runs: Notifier
  /** Jobs that `startJobs` sends at once, by the host they are sent to. */
  readonly sending: Handover<{ readonly jobId: string }>
  /** Jobs of runs that this process has done something about, for `startRuns`. */
  readonly outcomes: Channel<JobOutcome>
  /** Ids of jobs and runs that this process has changed, for those who watch them. */
  readonly changes: Channel<string>
  /** Under whose leases this process has jobs and runs. */
  readonly holder: string
}

/** What has become of a job of a run. */
export interface JobOutcome {
  readonly runId: string
  readonly jobId: string
  /**
   * What its agent answered with, where that was delivered and paid, and all of it is written down; undefined: the job's row
   * tells.
   */
  readonly body: string | undefined
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
export function createDueWork(clock: Pick<Clock, 'sleep'>): DueWork {
  return {
    jobs: createNotifier(clock),
    runs: createNotifier(clock),
    sending: createHandover(),
    outcomes: createChannel(),
    changes: createChannel(),
    holder: randomUUID(),
  }
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
