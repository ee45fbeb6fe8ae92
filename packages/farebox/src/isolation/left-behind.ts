/** What keeps a process awake since a job began. */
export interface LeftBehind {
  /** Nothing more than before the job. */
  isClean(): boolean
}

/**
 * Kept open for the next job by pools and clients, and silent until they are used or answered: no reason to give up
 * a process. Timers, servers, child processes, threads and the like run on by themselves.
 */
const KEPT_OPEN = new Set([
  'PipeWrap',
  'ShutdownWrap',
  'TCPSocketWrap',
  'TLSWrap',
  'TTYWrap',
  'UDPWrap',
  'WriteWrap',
])

/** Counts what keeps this process awake now; what is there later beside it was left behind by the job between. */
export function noteWhatRuns(): LeftBehind {
  const before = countActive()
  return {
    isClean() {
      for (const [kind, count] of countActive()) if (count > (before.get(kind) ?? 0)) return false
      return true
    },
  }
}

function countActive(): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const kind of process.getActiveResourcesInfo())
    if (!KEPT_OPEN.has(kind)) counts.set(kind, (counts.get(kind) ?? 0) + 1)
  return counts
}
