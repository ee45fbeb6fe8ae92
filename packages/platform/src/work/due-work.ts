import { randomUUID } from 'node:crypto'
import type { Clock } from '@farebox/protocol/time/clock'
import { createChannel, type Channel } from './channel.ts'
import { createNotifier, type Notifier } from './notifier.ts'
import type { Reserved } from './worker.ts'

/** What those who work in one process let one another know; each of it is found in the database as well, only later. */
export interface DueWork {
  /** Jobs to be sent. */
  readonly jobs: Notifier
  /** Runs to be driven. */
  readonly runs: Notifier
  /** A place of a sender of this process, by the host of a job that is just being written down. */
  readonly sending: Handover
  /** Jobs of runs that this process has done something about. */
  readonly outcomes: Channel<JobOutcome>
  /** Ids of jobs and runs that this process has changed. */
  readonly changes: Channel<string>
  /** Under whose leases this process has jobs and runs. */
  readonly holder: string
}

/** Leads to the worker of this process, while there is one. */
export interface Handover {
  reserve: (host: string) => Reserved<{ readonly jobId: string }> | undefined
}

/** What has become of a job of a run. */
export interface JobOutcome {
  readonly runId: string
  readonly jobId: string
  /**
   * What its agent answered with, where that was delivered and paid, and all of it is written down; undefined: the job's row
   * says.
   */
  readonly body: string | undefined
}

/** What may become due in one process. */
export function createDueWork(clock: Pick<Clock, 'after'>): DueWork {
  return {
    jobs: createNotifier(clock),
    runs: createNotifier(clock),
    sending: { reserve: () => undefined },
    outcomes: createChannel(),
    changes: createChannel(),
    holder: randomUUID(),
  }
}
