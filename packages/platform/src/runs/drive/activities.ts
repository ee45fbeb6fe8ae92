/** What a process has begun for runs and not ended: prices that are asked for, orders that are being written. */
export interface Activities {
  readonly size: number
  /** Whether anything is under way for a run. */
  isUnderWay(runId: string): boolean
  /**
   * Begins what is named so, once at a time.
   *
   * @returns false where there is no room for it now
   */
  begin(runId: string, name: string, work: () => Promise<void>): boolean
  /** Resolves when all have ended. */
  ended(): Promise<void>
}

/** None is under way at first. `most`: in all; `perRun`: of one run. */
export function createActivities(most: number, perRun: number): Activities {
  const byRun = new Map<string, Map<string, Promise<void>>>()
  let size = 0
  return {
    get size() {
      return size
    },
    isUnderWay: runId => byRun.has(runId),
    begin(runId, name, work) {
      const own = byRun.get(runId) ?? new Map<string, Promise<void>>()
      if (own.has(name)) return true
      if (size >= most || own.size >= perRun) return false
      byRun.set(runId, own)
      size += 1
      const ended = work().finally(() => {
        own.delete(name)
        if (own.size === 0) byRun.delete(runId)
        size -= 1
      })
      own.set(name, ended)
      return true
    },
    async ended() {
      await Promise.allSettled([...byRun.values()].flatMap(own => [...own.values()]))
    },
  }
}
