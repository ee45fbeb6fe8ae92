import { createCounts } from '../../work/counts.ts'
import { originOf, type RunRow } from '../records/run-row.ts'

/** Whose an activity is, and whom it asks. */
export interface ActivityOf extends Pick<RunRow, 'runId' | 'payer' | 'startedFrom'> {
  readonly agentId: number
}

/** Work that a process has begun for runs and not ended: prices that are asked for, orders that are being written. */
export interface Activities {
  readonly size: number
  /** Whether anything is under way for a run. */
  isUnderWay(runId: string): boolean
  /**
   * Begins what is named so, once at a time.
   *
   * @returns false where there is no room for it now
   */
  begin(of: ActivityOf, name: string, work: () => Promise<void>): boolean
  /** Resolves when all have ended. */
  ended(): Promise<void>
}

/** No origin of runs, and no agent, has more than this part of what the others leave free. */
const PART_OF_FREE = 2

/** None is under way at first. `most`: in all; `perRun`: of one run. */
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
      // An agent that never answers, and an origin that orders from many of them, leave room for the others.
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
