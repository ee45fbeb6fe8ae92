import type { Holder } from './holder.ts'

/**
 * The accounts of jobs, in the same store as their records: entries of text for the orders that a job places with other
 * agents, and amounts that count towards sums shared by many jobs.
 *
 * An account outlives its job's record: the record of a failed job is deleted, and a retry finds the orders. When the
 * record is written as `settled`, the amounts that count only until then are subtracted from their sums in the same
 * step, from each sum at most the amount that the job was paid: a job_id may run for a high price, fail, and run again
 * for a low one. After that no entry is accepted, and the account is deleted with the record.
 *
 * Every method is atomic, and rejects when the store cannot be reached, like those of `JobStore`.
 */
export interface JobAccounts {
  /** Writes an entry and adds its amount, if the caller still holds the job. */
  enter(holder: Holder, change: EntryChange): Promise<EnterOutcome>
  /** Undefined when there is no such entry. */
  entry(jobKey: string, name: string): Promise<Entry | undefined>
  /** The totals of the job and of each sum; zero when nothing is stored. */
  totals(jobKey: string, sums: readonly string[]): Promise<Totals>
}

/** A stored entry. */
export interface Entry {
  /** The number of writes, from 1. */
  readonly revision: number
  readonly text: string
}

/** A write of one entry. */
export interface EntryChange {
  /** The name of the entry within the job. */
  readonly name: string
  /** The revision to replace; 0: the entry does not exist yet. */
  readonly replaces: number
  /** Well-formed Unicode, as `JSON.stringify` returns. */
  readonly text: string
  /** The minimum time from now that the account is kept. */
  readonly keepMs: number
  /** The most entries that the account may have. */
  readonly mostEntries: number
  /** Atomic units, at most 2^53; a negative amount is given back. Limits are checked only for a positive amount. */
  readonly amount: bigint
  /** The most that all amounts of this job may add up to, in atomic units. */
  readonly mostOfJob: bigint
  /** The sums to which the amount is added as well. */
  readonly sums: readonly SumBound[]
}

/** A sum over several jobs, with its limit. */
export interface SumBound {
  readonly key: string
  /** Atomic units. */
  readonly most: bigint
  readonly keepMs: number
  /** The job's amounts are subtracted again when the job is settled, up to the amount paid. */
  readonly untilSettled: boolean
}

/**
 * - `not-held`: another process has claimed the job since, or it was deleted.
 * - `settled`: the job is paid and its account is closed.
 * - `replaced`: the entry has another revision.
 * - `full`: the account has the maximum number of entries.
 * - `over`: a limit would be exceeded: the job's (`sum` undefined) or a sum's; `left` is the amount that is still
 *   allowed.
 *
 * Only `entered` changes anything.
 */
export type EnterOutcome =
  | { readonly kind: 'entered' }
  | { readonly kind: 'not-held' }
  | { readonly kind: 'settled' }
  | { readonly kind: 'replaced' }
  | { readonly kind: 'full' }
  | { readonly kind: 'over'; readonly sum: string | undefined; readonly left: bigint }

/** Totals in atomic units. */
export interface Totals {
  readonly job: bigint
  /** In the order of the request. */
  readonly sums: readonly bigint[]
}
