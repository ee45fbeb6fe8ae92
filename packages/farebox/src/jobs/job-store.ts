import type { Holder } from './holder.ts'
import type { Job } from './job.ts'
import type { JobAccounts } from './job-accounts.ts'

export type { Holder } from './holder.ts'

/**
 * Where jobs and payments are claimed and responses kept, over processes and replicas (D6, D24, D25).
 *
 * A job has at most one *holder* at a time: the process that claimed it last, named by its `fence`, until its lease ends.
 * Every method is atomic, and durable to the store's own degree when it resolves. Every method rejects when the
 * store cannot be reached: the caller then knows nothing, and must act as if the job were held by somebody else.
 * Times are durations, measured by the store's own clock, so that replicas need not agree on the hour.
 */
export interface JobStore {
  /**
   * Claims a job for one holder and, in the same step, its payment for that job.
   *
   * - `payment-taken`: the payment is claimed for another job. Nothing changed.
   * - `held`: the job has a living holder, or it is sealed. Nothing changed.
   * - `claimed`: the caller holds the job until the lease ends. `job` is what an earlier holder left, or the new
   *   record given with the claim.
   */
  claim(claim: JobClaim): Promise<ClaimOutcome>
  /** What is kept of a job now; undefined where nothing is. Safe to repeat. */
  read(jobKey: string): Promise<StoredJob | undefined>
  /**
   * Changes a job, if the caller is its holder still. Resolves to false, and changes nothing, where another has
   * claimed it since or it was forgotten. A lease that has ended but was taken by nobody still counts as held.
   */
  write(holder: Holder, change: JobChange): Promise<boolean>
  /** Keys of the `saved` jobs that nobody holds: settlements that a dead process left in doubt. */
  unresolved(): Promise<readonly string[]>
}

/** A wish to hold a job. */
export interface JobClaim extends Holder {
  /** Claimed for this job until `keepMs` from now, whatever becomes of the job; absent where the job keeps its own. */
  readonly payment?: { readonly key: string; readonly keepMs: number } | undefined
  readonly leaseMs: number
  /** Written where nothing is kept of the job yet. */
  readonly job: Job
  /** How long the new record outlives its lease, for those who wait for it. */
  readonly keepMs: number
}

/** See {@link JobStore.claim}. */
export type ClaimOutcome =
  | { readonly kind: 'claimed'; readonly job: Job }
  | { readonly kind: 'held' }
  | { readonly kind: 'payment-taken' }

/** A job as kept. */
export interface StoredJob {
  readonly job: Job
  /** A holder's lease is running. False for a sealed job: nobody works on it any more. */
  readonly held: boolean
}

/** What to do to a held job. */
export type JobChange =
  /** Keep this record, and the lease for so long from now. A `saved` job is kept until it is written again. */
  | { readonly kind: 'hold'; readonly job: Job; readonly leaseMs: number; readonly keepMs: number }
  /**
   * Keep this record and let go: sealed, it can never be claimed again; open, anybody may claim it next. With `mayWait` a
   * store may write it some milliseconds later, together with what others write.
   */
  | {
      readonly kind: 'leave'
      readonly job: Job
      readonly sealed: boolean
      readonly keepMs: number
      readonly mayWait?: boolean
    }
  /** Forget the job; with `payment`, that payment's claim too, where it is claimed for this job. */
  | { readonly kind: 'forget'; readonly payment?: string }

/** A store and the way to close it. */
export interface OpenJobStore {
  readonly store: JobStore
  /** What jobs of it keep beside their record; absent: its handlers cannot hire. */
  readonly accounts?: JobAccounts
  /** What it is, for the log: `lmdb:.farebox/jobs`, never with a password. */
  readonly name: string
  /** Another process or another machine may be using the same store. */
  readonly shared: boolean
  close(): Promise<void>
}
