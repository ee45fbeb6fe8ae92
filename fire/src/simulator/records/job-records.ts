import type { Holder, JobChange } from 'farebox'

/** One run of a handler. */
export interface HandlerRun {
  readonly process: string
  readonly startedMs: number
  /** Undefined while it runs, or if its process died first. */
  endedMs: number | undefined
  /**
   * The remaining time to its deadline at that moment: by the clock of its process, or by a timer, which is not
   * affected by clock steps.
   */
  leftMs: number
  /** It returned an output, in time or not. */
  hasReturned: boolean
}

/** A response that was saved, with the payment it was saved for. */
export interface SavedRecord {
  readonly claimedMs: number
  readonly payment: string
  readonly response: string
  /** It was deleted again before anything was charged: no caller had received it. */
  isTakenBack: boolean
}

/** The recorded events of one job: by its store, and by its handler. */
export interface JobHistory {
  readonly runs: HandlerRun[]
  readonly saved: SavedRecord[]
  readonly settledMs: number[]
  /** Payments that were recorded as failed, and when they first were. */
  readonly refusedMs: Map<string, number>
  /** The store lost some of its writes for this job. */
  hasLostWrites: boolean
  /** As last written; undefined if it was deleted. */
  state: 'running' | 'saved' | 'unpaid' | 'settled' | undefined
}

/** The recorded events of all jobs. A job is named `<agent>/<job_id>`, in lower case: see {@link jobName}. */
export type JobRecords = ReturnType<typeof createJobRecords>

/** The name of a job within a history, from its key in the store. Our agents' names have no spaces. */
export function jobName(jobKey: string): string {
  return jobKey.slice(jobKey.lastIndexOf(' ') + 1).toLowerCase()
}

export function createJobRecords(nowMs: () => number) {
  const jobs = new Map<string, JobHistory>()
  const disturbances: { readonly process: string; readonly atMs: number }[] = []
  const claimedMs = new Map<string, number>()
  const of = (job: string): JobHistory => {
    const known = jobs.get(job)
    if (known !== undefined) return known
    const history: JobHistory = {
      runs: [],
      saved: [],
      settledMs: [],
      refusedMs: new Map(),
      hasLostWrites: false,
      state: undefined,
    }
    jobs.set(job, history)
    return history
  }
  return {
    of,
    all: (): ReadonlyMap<string, JobHistory> => jobs,
    /** Periods in which processes could not keep their promises: they died, stopped, or could not reach their store. */
    disturbances: (): readonly (typeof disturbances)[number][] => disturbances,
    claimed: ({ fence }: Holder): void => void claimedMs.set(fence, nowMs()),
    written({ jobKey, fence }: Holder, change: JobChange): void {
      const history = of(jobName(jobKey))
      const { saved, refusedMs, state: before } = history
      const last = saved.at(-1)
      history.state = change.kind === 'forget' ? undefined : change.job.state
      const save = (payment: string, response: string): void =>
        void saved.push({ claimedMs: claimedMs.get(fence) ?? 0, payment, response, isTakenBack: false })
      if (change.kind === 'forget') {
        if (before === 'saved' && last !== undefined) last.isTakenBack = true
        return
      }
      const { job } = change
      if (job.state === 'saved') {
        // Renewals of the lease write the same record again, and so does a takeover. A record that was released unpaid
        // in between is saved again, also if a repeat has the same payment.
        const isSame = last?.payment === job.payment.key && last.response === job.response
        if (!isSame || before !== 'saved') save(job.payment.key, job.response)
      } else if (job.state === 'settled') {
        history.settledMs.push(nowMs())
        // Delivered for a charge whose record was lost, or that another party submitted: never saved, but kept.
        const { paymentKey: payment, response } = job
        if (payment !== undefined && !saved.some(one => one.payment === payment)) save(payment, response)
      } else if (job.state === 'unpaid') {
        for (const payment of job.refusedPayments)
          if (!refusedMs.has(payment)) refusedMs.set(payment, nowMs())
      }
    },
    /** The store lost some of its writes for this job. */
    lostWrites(jobKey: string): void {
      of(jobName(jobKey)).hasLostWrites = true
    },
    disturbed: (process: string): void => void disturbances.push({ process, atMs: nowMs() }),
  }
}
