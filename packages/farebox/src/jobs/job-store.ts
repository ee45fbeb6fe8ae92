import type { Holder } from './holder.ts'
import type { Job } from './job.ts'
import type { JobAccounts } from './job-accounts.ts'

export type { Holder } from './holder.ts'

/**
 * Stores jobs, claims on payments, and responses, shared by processes and replicas (D6, D24, D25).
 *
 * A job has at most one *holder* at a time: the process that claimed it last, identified by its `fence`, until its
 * lease ends. Every method is atomic, and as durable as the store guarantees when it resolves. Every method rejects
 * when the store cannot be reached: the outcome is then unknown, and the caller must act as if another process held the
 * job. Times are durations by the store's own clock, so that the clocks of replicas need not agree.
 */
export interface JobStore {
  /**
   * Claims a job for one holder and, in the same step, its payment for that job.
   *
   * - `payment-taken`: the payment is claimed for another job. Nothing changed.
   * - `held`: another holder's lease is valid, or the job is sealed. Nothing changed.
   * - `claimed`: the caller holds the job until the lease ends. `job` is the record of an earlier holder, or the new
   *   record given with the claim.
   */
  claim(claim: JobClaim): Promise<ClaimOutcome>
  /** The stored job; undefined when there is no record. Safe to repeat. */
  read(jobKey: string): Promise<StoredJob | undefined>
  /**
   * Changes a job, if the caller still holds it. Resolves to false, without a change, when another process has claimed
   * the job since or the record was deleted. An expired lease that no other process has claimed still counts as held.
   */
  write(holder: Holder, change: JobChange): Promise<boolean>
  /** Keys of the `saved` jobs without a holder: settlements that a crashed process left open. */
  unresolved(): Promise<readonly string[]>
}

/** A request to hold a job. */
export interface JobClaim extends Holder {
  /**
   * Claimed for this job until `keepMs` from now, whatever happens to the job; absent when the payment needs no claim.
   */
  readonly payment?: { readonly key: string; readonly keepMs: number } | undefined
  readonly leaseMs: number
  /** The record to write when there is none yet. */
  readonly job: Job
  /** How long the new record outlives its lease, for requests that wait for the job. */
  readonly keepMs: number
}

/** See {@link JobStore.claim}. */
export type ClaimOutcome =
  | { readonly kind: 'claimed'; readonly job: Job }
  | { readonly kind: 'held' }
  | { readonly kind: 'payment-taken' }

/** A stored job. */
export interface StoredJob {
  readonly job: Job
  /** Whether a holder's lease is valid. False for a sealed job, which needs no more work. */
  readonly held: boolean
}

/** A change of a held job. */
export type JobChange =
  /** Stores this record, and renews the lease. A `saved` job is kept until it is written again. */
  | { readonly kind: 'hold'; readonly job: Job; readonly leaseMs: number; readonly keepMs: number }
  /**
   * Stores this record and releases the job: a sealed job can never be claimed again, an unsealed one can be claimed by
   * any process. With `mayWait` a store may delay the write by some milliseconds, to combine it with other writes.
   */
  | {
      readonly kind: 'leave'
      readonly job: Job
      readonly sealed: boolean
      readonly keepMs: number
      readonly mayWait?: boolean
    }
  /** Deletes the job; with `payment` also that payment's claim, if it is claimed for this job. */
  | { readonly kind: 'forget'; readonly payment?: string }

/** A store with a function that closes it. */
export interface OpenJobStore {
  readonly store: JobStore
  /** The accounts of the jobs in this store; absent: handlers cannot hire. */
  readonly accounts?: JobAccounts
  /** The name for the log: `lmdb:.farebox/jobs`, never with a password. */
  readonly name: string
  /** Whether other processes or machines may use the same store. */
  readonly shared: boolean
  close(): Promise<void>
}
