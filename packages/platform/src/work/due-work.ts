import { randomUUID } from 'node:crypto'
import type { Clock } from '@farebox/protocol/time/clock'
import { createChannel, type Channel } from './channel.ts'
import { createNotifier, type Notifier } from './notifier.ts'
import type { Reserved } from './worker.ts'

/** The notifications between the workers of one process. Everything is also found in the database, only later. */
export interface DueWork {
  /** Jobs to be sent. */
  readonly jobs: Notifier
  /** Runs to be driven. */
  readonly runs: Notifier
  /** Reserves a slot of this process's sender, by host, for a job that is just being written. */
  readonly sending: Handover
  /** Outcomes of jobs of runs that this process has handled. */
  readonly outcomes: Channel<JobOutcome>
  /** Ids of jobs and runs that this process has changed. */
  readonly changes: Channel<string>
  /** The id under which this process leases jobs and runs. */
  readonly holder: string
}

/** Forwards to the sender of this process while one is running. */
export interface Handover {
  reserve: (host: string) => Reserved<{ readonly jobId: string }> | undefined
}

/** The outcome of a job of a run. */
export interface JobOutcome {
  readonly runId: string
  readonly jobId: string
  /**
   * The response of the agent, if it was delivered and paid and everything is written; undefined when the job's row
   * must be read.
   */
  readonly body: string | undefined
}

/** Creates the notifications of one process. */
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
