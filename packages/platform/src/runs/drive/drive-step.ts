import { describeError } from '@farebox/server/log'
import type { PlatformParts } from '../../platform-parts.ts'
import type { WrittenRow } from '../records/change-run.ts'
import type { RunRow } from '../records/run-row.ts'
import type { WritePace } from '../records/write-pace.ts'
import type { Activities } from './activities.ts'
import type { OrderJobOfRun } from './order-job-of-run.ts'

/** The dependencies of driving runs besides the parts. */
export interface DriveMeans {
  readonly holder: string
  readonly signal: AbortSignal
  readonly activities: Activities
  readonly order: OrderJobOfRun
  /** For runs of which nothing was paid: their waits cost their origin, and no other. */
  readonly writes: WritePace
  /** Whether there is room to keep a run until its jobs change. */
  mayKeep(run: RunRow): boolean
}

/** A run that is being driven. */
export interface Drive {
  readonly parts: PlatformParts
  readonly means: DriveMeans
  /** As it was read. */
  readonly run: RunRow
  /** Resolves once the run is written, for what was begun before and goes on from there; undefined: it was not. */
  readonly written: Promise<WrittenRow | undefined>
}

/**
 * Does a step for a run. What fails is begun again when the run is due the next time.
 *
 * @returns whether it was done
 */
export async function attempt({ parts, run }: Drive, step: () => Promise<unknown>): Promise<boolean> {
  try {
    await step()
    return true
  } catch (error) {
    parts.log.error('a step of a run was not done', { run: run.runId, error: describeError(error) })
    return false
  }
}
