/** The resources that have kept the process alive since a job began. */
export interface LeftBehind {
  /** Whether no more resources are active than before the job. */
  isClean(): boolean
}

/**
 * Resources that pools and clients keep open for the next job, and that do nothing until they are used: no reason to
 * replace a process. Timers, servers, child processes, threads and similar resources continue to act by themselves.
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

/** Counts the active resources now; additional ones found later were left behind by the job in between. */
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
