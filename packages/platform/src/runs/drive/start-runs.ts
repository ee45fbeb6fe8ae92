import { setMaxListeners } from 'node:events'
import { describeError } from '@farebox/server/log'
import { repeat } from '@farebox/server/internal/repeat'
import type { Background, PlatformParts } from '../../platform-parts.ts'
import { createPollPace } from '../../poll-pace.ts'
import { deleteOldRuns } from '../records/delete-runs.ts'
import { noteNews, releaseRuns, RUN_LEASE_MS, renewRuns, takeRuns } from '../records/run-leases.ts'
import type { RunRow } from '../records/run-row.ts'
import { createActivities } from './activities.ts'
import { driveRun } from './drive-run.ts'
import { createOrderJobOfRun } from './order-job-of-run.ts'
import { createActiveRuns } from './active-runs.ts'
import { createWritePace } from '../records/write-pace.ts'

/** How runs are worked on. */
export interface RunsOptions {
  /**
   * How often runs are looked for that are due, while there are some; default 100. Those of this process are taken at
   * once. See {@link createPollPace}.
   */
  readonly pollMs?: number
  /** How many runs are taken at a time in this process, and as many that it has are looked at besides; default 32. */
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
  const { database, clock, log } = parts
  const { pollMs = POLL_MS, slots = SLOTS, activities: most = ACTIVITIES } = options
  const stopping = new AbortController()
  const { signal } = stopping
  setMaxListeners(0, signal)
  const activities = createActivities(most, ACTIVITIES_OF_RUN)
  const { holder } = parts.due
  const pace = createPollPace(clock, { pollMs, idleMs: pollMs * 20 })
  /** The last round took as many as it could of some origin. */
  let mayBeMore = false
  const missed = async (runId: string): Promise<void> => {
    try {
      await noteNews(database, runId)
      parts.due.runs.notify()
    } catch (error) {
      log.error('the outcome of a job did not reach its run', { run: runId, error: describeError(error) })
    }
  }
  const activeRuns = createActiveRuns({
    slots,
    nowMs: () => clock.nowMs(),
    async drive(run, outcomes) {
      try {
        return await driveRun(parts, means, run, outcomes)
      } catch (error) {
        // Its lease runs out, and somebody takes it again.
        log.error('driving a run failed', { run: run.runId, error: describeError(error) })
        return undefined
      }
    },
    missed: runId => void missed(runId),
    left() {
      if (mayBeMore) parts.due.runs.notify()
    },
  })
  const means = {
    holder,
    signal,
    activities,
    order: createOrderJobOfRun(parts),
    writes: createWritePace(() => clock.nowMs()),
    mayKeep: (run: RunRow): boolean => activeRuns.mayKeep(run),
  }
  const unsubscribe = parts.due.outcomes.subscribe(outcome => {
    if (!activeRuns.deliver(outcome)) parts.due.runs.notify()
  })
  const round = async (): Promise<void> => {
    const free = slots - activeRuns.taken
    if (free <= 0) return
    const perOrigin = Math.ceil(free / PART_OF_FREE)
    const taking = { holder, limit: free, perOrigin, nowMs: clock.nowMs(), except: activeRuns.driven }
    const runs = await takeRuns(database, taking)
    mayBeMore = runs.length >= perOrigin
    for (const run of runs) activeRuns.take(run)
    if (activeRuns.taken > 0) pace.busy()
  }
  const roundThenWait = async (): Promise<void> => {
    try {
      await round()
    } finally {
      await parts.due.runs.wait(pace.pauseMs(), signal)
      // What becomes due at about the same time is taken together.
      await clock.sleep(GATHER_MS, signal)
    }
  }
  const onFailure = (error: unknown): void =>
    log.error('a round of the runs failed', { error: describeError(error) })
  const rounds = Promise.all([
    repeat(clock, { everyMs: 0, signal, onFailure }, roundThenWait),
    repeat(clock, { everyMs: RUN_LEASE_MS / 3, signal, onFailure }, async () => {
      const nowMs = clock.nowMs()
      await renewRuns(database, { holder, nowMs, ...activeRuns.keepSince(nowMs - KEPT_MS) })
    }),
    repeat(clock, { everyMs: DELETION_EVERY_MS, signal, onFailure }, () =>
      deleteOldRuns(database, clock.nowMs()),
    ),
  ])
  return {
    async stop() {
      stopping.abort()
      unsubscribe()
      await rounds
      await activeRuns.stop()
      await activities.ended()
      await releaseRuns(database, holder).catch(onFailure)
    },
  }
}
