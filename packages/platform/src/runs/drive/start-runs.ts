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

/** How runs are worked on. */
export interface RunsOptions {
  /**
   * How often runs are looked for that are due, while there are some; default 100. Those of this process are taken at
   * once. See `createPollPace`.
   */
  readonly pollMs?: number
  /** How many runs are taken at a time in this process, and as many that it keeps are driven besides; default 32. */
  readonly slots?: number
  /** How many prices and orders are under way in this process; default 1,024, of one run 32. */
  readonly activities?: number
}

const POLL_MS = 100
const SLOTS = 32
const GATHER_MS = 3
const ACTIVITIES = 1_024
const ACTIVITIES_OF_RUN = 32
/** No origin has more than this part of the slots that others leave free. */
const PART_OF_FREE = 2
const DELETION_EVERY_MS = 600_000
/** A kept run without outcomes for so long is driven from the database, in case one was missed. */
const KEPT_MS = 60_000

/** Drives runs of flows: any number of processes share them, and what a dead one held is taken by another. */
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
    log.error('a round of the runs failed', { error: describeError(error) })
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
      // Those that wait for their jobs, too.
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
    // After a failure its lease runs out, and a process takes it again.
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
