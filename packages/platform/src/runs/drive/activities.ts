import { createCounts } from '../../work/counts.ts'
import { originOf, type RunRow } from '../records/run-row.ts'

/** The run of an activity and the agent that it calls. */
export interface ActivityOf extends Pick<RunRow, 'runId' | 'payer' | 'startedFrom'> {
  readonly agentId: number
}

/** Work for runs that this process has started and not finished: price requests, and orders that are being written. */
export interface Activities {
  readonly size: number
  /** Whether any activity of this run is in progress. */
  isUnderWay(runId: string): boolean
  /**
   * Starts an activity, unless one of this name is already in progress for the run.
   *
   * @returns false when the limits do not allow it now
   */
  begin(of: ActivityOf, name: string, work: () => Promise<void>): boolean
  /** Resolves when all activities have ended. */
  ended(): Promise<void>
}

/** Each origin of runs, and each agent, may have at most the free capacity divided by this number. */
const PART_OF_FREE = 2

/**
 * Creates an empty set of activities.
 *
 * @param most - the maximum number in all
 * @param perRun - the maximum number for one run
 */
export function createActivities(most: number, perRun: number): Activities {
  const byRun = new Map<string, Map<string, Promise<void>>>()
  const shares = createCounts()
  let size = 0
  return {
    get size() {
      return size
    },
    isUnderWay: runId => byRun.has(runId),
    begin({ agentId, ...run }, name, work) {
      const { runId } = run
      const own = byRun.get(runId) ?? new Map<string, Promise<void>>()
      if (own.has(name)) return true
      if (size >= most || own.size >= perRun) return false
      // The shares keep capacity free for others when an agent never responds, or an origin orders from many such
      // agents.
      const sharers = [`origin ${originOf(run)}`, `agent ${agentId}`]
      const share = Math.max(1, Math.floor((most - size) / PART_OF_FREE))
      if (sharers.some(sharer => shares.of(sharer) >= share)) return false
      byRun.set(runId, own)
      size += 1
      for (const sharer of sharers) shares.add(sharer, 1)
      const ended = work().finally(() => {
        own.delete(name)
        if (own.size === 0) byRun.delete(runId)
        size -= 1
        for (const sharer of sharers) shares.add(sharer, -1)
      })
      own.set(name, ended)
      return true
    },
    async ended() {
      await Promise.allSettled([...byRun.values()].flatMap(own => [...own.values()]))
    },
  }
}
