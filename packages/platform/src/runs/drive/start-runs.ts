import { describeError } from '@farebox/server/log'
import type { PlatformParts } from '../../platform-parts.ts'
import { startLoops, type Background } from '../../work/loop.ts'
import { startWorker } from '../../work/worker.ts'
import { deleteOldRuns } from '../records/delete-runs.ts'
import { noteNews, releaseRuns, RUN_LEASE_MS, renewRuns, takeRuns } from '../records/run-leases.ts'
import { originOf, type RunRow } from '../records/run-row.ts'
import { createWritePace } from '../records/write-pace.ts'
import { createActiveRuns, type ActiveRuns } from './active-runs.ts'
import { createActivities } from './activities.ts'
import { driveRun } from './drive-run.ts'
import type { DriveMeans } from './drive-step.ts'
import { createOrderJobOfRun } from './order-job-of-run.ts'

/** Options of the worker for runs. */
export interface RunsOptions {
  /**
   * How often due runs are looked up, in milliseconds, while there are some; default 100. Runs made due by this process
   * are leased at once. See `createPollPace`.
   */
  readonly pollMs?: number
  /** How many leased runs are driven at a time in this process, and likewise how many kept runs; default 32. */
  readonly slots?: number
  /** How many price requests and orders are in progress in this process; default 1,024, and 32 for one run. */
  readonly activities?: number
}

const POLL_MS = 100
const SLOTS = 32
const GATHER_MS = 3
const ACTIVITIES = 1_024
const ACTIVITIES_OF_RUN = 32
/** Each origin may have at most the free slots divided by this number. */
const PART_OF_FREE = 2
const DELETION_EVERY_MS = 600_000
/** A kept run without outcomes for this time is driven from the database, in case an outcome was missed. */
const KEPT_MS = 60_000

/**
 * Starts driving runs of flows. Any number of processes share them; the runs of a process that died are leased by
 * another.
 */
export function startRuns(parts: PlatformParts, options: RunsOptions = {}): Background {
  const { database, clock, log, due } = parts
  const { pollMs = POLL_MS, slots = SLOTS } = options
  const { holder } = due
  const stopping = new AbortController()
  const activities = createActivities(options.activities ?? ACTIVITIES, ACTIVITIES_OF_RUN)
  const activeRuns = activateRuns(parts, { slots, activities, signal: stopping.signal })
  const unsubscribe = due.outcomes.subscribe(outcome => {
    if (!activeRuns.deliver(outcome)) due.runs.notify()
  })
  const onFailure = (error: unknown): void =>
    log.error('a round of the worker for runs failed', { error: describeError(error) })
  const worker = startWorker<RunRow>(clock, {
    slots,
    due: due.runs,
    gatherMs: GATHER_MS,
    pace: { pollMs, idleMs: pollMs * 20 },
    keyOf: originOf,
    room: free => ({ limit: free, perKey: Math.ceil(free / PART_OF_FREE) }),
    take: ({ limit, perKey: perOrigin }) =>
      takeRuns(database, { holder, limit, perOrigin, nowMs: clock.nowMs(), except: activeRuns.driven }),
    work: run => activeRuns.take(run),
    lease: {
      ms: RUN_LEASE_MS,
      // Includes kept runs that wait for their jobs.
      renew: () => {
        const nowMs = clock.nowMs()
        return renewRuns(database, { holder, nowMs, ...activeRuns.keepSince(nowMs - KEPT_MS) })
      },
    },
    onFailure,
  })
  const deletion = {
    pauseMs: DELETION_EVERY_MS,
    pass: () => deleteOldRuns(database, clock.nowMs()),
    onFailure,
  }
  const upkeep = startLoops(clock, [deletion], stopping)
  return {
    async stop() {
      stopping.abort()
      unsubscribe()
      await Promise.all([upkeep.stop(), worker.stop()])
      await activeRuns.stop()
      await activities.ended()
      await releaseRuns(database, holder).catch(onFailure)
    },
  }
}

function activateRuns(
  parts: PlatformParts,
  by: Pick<DriveMeans, 'activities' | 'signal'> & { readonly slots: number },
): ActiveRuns {
  const { clock, log, due } = parts
  const failed = (what: string, runId: string, error: unknown): undefined => {
    log.error(what, { run: runId, error: describeError(error) })
  }
  const means = {
    ...by,
    holder: due.holder,
    order: createOrderJobOfRun(parts),
    writes: createWritePace(() => clock.nowMs()),
    mayKeep: (run: RunRow): boolean => activeRuns.mayKeep(run),
  }
  const activeRuns = createActiveRuns({
    slots: by.slots,
    nowMs: () => clock.nowMs(),
    // After a failure the lease of the run expires, and a process leases it again.
    drive: (run, outcomes) =>
      driveRun(parts, means, run, outcomes).catch((error: unknown) =>
        failed('driving a run failed', run.runId, error),
      ),
    missed: runId =>
      void noteNews(parts, runId).catch((error: unknown) =>
        failed('the outcome of a job did not reach its run', runId, error),
      ),
  })
  return activeRuns
}
