import { describeError } from '@farebox/server/log'
import type { PlatformParts } from '../../platform-parts.ts'
import type { WrittenRow } from '../records/change-run.ts'
import type { RunRow } from '../records/run-row.ts'
import type { WritePace } from '../records/write-pace.ts'
import type { Activities } from './activities.ts'
import type { OrderJobOfRun } from './order-job-of-run.ts'

/** The dependencies of driving runs besides the platform parts. */
export interface DriveMeans {
  readonly holder: string
  readonly signal: AbortSignal
  readonly activities: Activities
  readonly order: OrderJobOfRun
  /** Limits the writes of runs without a payment, so that their wake-ups delay only other runs of the same origin. */
  readonly writes: WritePace
  /** Whether there is enough memory to keep a run until its jobs change. */
  mayKeep(run: RunRow): boolean
}

/** A run that is being driven. */
export interface Drive {
  readonly parts: PlatformParts
  readonly means: DriveMeans
  /** As read. */
  readonly run: RunRow
  /**
   * Resolves when the run is written, so that activities started before can continue; undefined when it was not
   * written.
   */
  readonly written: Promise<WrittenRow | undefined>
}

/**
 * Performs a step for a run. A failed step is logged, and starts again when the run is next due.
 *
 * @returns whether the step succeeded
 */
export async function attempt({ parts, run }: Drive, step: () => Promise<unknown>): Promise<boolean> {
  try {
    await step()
    return true
  } catch (error) {
    parts.log.error('could not carry out a step of a run', {
      run: run.runId,
      trace: run.trace?.id,
      error: describeError(error),
    })
    return false
  }
}
