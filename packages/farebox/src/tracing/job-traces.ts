import type { LogFields } from '../log.ts'

/** The trace fields of a job's log lines. */
export interface TracedJob {
  /** The id of the trace, 32 hex digits. */
  readonly trace: string
  /** The key of the payment; undefined until its payer is proven, and in dev mode. */
  key: string | undefined
}

/**
 * The jobs in flight in this process, by their ids as the callers wrote them. The log looks up the trace fields of a
 * job here, so that logging code does not have to know them.
 */
export interface JobTraces {
  /**
   * Adds a job until the returned function is called. Several requests for one job may be in flight: its lines have the
   * trace of the first one, so that a later request of another caller does not change them.
   */
  enter(jobId: string, traced: TracedJob): () => void
  /** Makes this the request that the lines of its job are about, because it has claimed the job. */
  lead(jobId: string, traced: TracedJob): void
  /** Keeps a job in the list, if it is there, for work that may continue after the response. */
  keep(jobId: string): () => void
  /** The fields of a job's lines; undefined when the job is not in flight here. */
  fieldsOf(jobId: string): LogFields | undefined
}

/**
 * Many more requests than a process accepts at once; settlements with an unknown outcome add to them. The lines of
 * further jobs have no trace.
 */
const MOST_JOBS = 50_000

/** Makes the list. */
export function createJobTraces(): JobTraces {
  const jobs = new Map<string, readonly TracedJob[]>()
  const enter = (jobId: string, traced: TracedJob): (() => void) => {
    const before = jobs.get(jobId)
    if (before === undefined && jobs.size >= MOST_JOBS) return () => undefined
    jobs.set(jobId, before === undefined ? [traced] : [...before, traced])
    return () => leave(jobs, jobId, traced)
  }
  return {
    enter,
    lead(jobId, traced) {
      const all = jobs.get(jobId)
      if (all === undefined || all[0] === traced) return
      jobs.set(
        jobId,
        all.toSorted((one, other) => Number(other === traced) - Number(one === traced)),
      )
    },
    keep(jobId) {
      const [traced] = jobs.get(jobId) ?? []
      return traced === undefined ? () => undefined : enter(jobId, traced)
    },
    fieldsOf(jobId) {
      const [traced] = jobs.get(jobId) ?? []
      return traced && fieldsOf(traced)
    },
  }
}

/** The fields in the order in which lines have them. */
export function fieldsOf({ trace, key }: TracedJob): LogFields {
  return key === undefined ? { trace } : { trace, key }
}

function leave(jobs: Map<string, readonly TracedJob[]>, jobId: string, traced: TracedJob): void {
  const all = jobs.get(jobId) ?? []
  // The last of its entries: the others keep their place.
  const place = all.lastIndexOf(traced)
  if (all.length > 1 && place !== -1) jobs.set(jobId, all.toSpliced(place, 1))
  else if (place !== -1) jobs.delete(jobId)
}
