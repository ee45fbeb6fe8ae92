import type { Holder } from './holder.ts'

/**
 * What a job keeps beside its record of what it orders from others, in the same store: entries of text, and amounts that
 * count towards sums shared by many jobs.
 *
 * An account outlives its job's record: a job that failed is forgotten, and a retry finds what it has ordered. When the
 * record is written as `settled`, the amounts that were to count only until then are taken from their sums in the same
 * step, from each at most what the job was paid: a job_id may be run for a high price, fail, and be run for a low one.
 * Nothing is entered any more, and the account is forgotten with the record.
 *
 * Every method is atomic and rejects when the store cannot be reached, as those of `JobStore` do.
 */
export interface JobAccounts {
  /** Writes an entry and moves its amount, if the caller is the job's holder still. */
  enter(holder: Holder, change: EntryChange): Promise<EnterOutcome>
  /** Undefined where there is none. */
  entry(jobKey: string, name: string): Promise<Entry | undefined>
  /** What the job, and each of the sums, has come to; zero where nothing is kept. */
  totals(jobKey: string, sums: readonly string[]): Promise<Totals>
}

/** An entry as kept. */
export interface Entry {
  /** Counts its writes, from 1. */
  readonly revision: number
  readonly text: string
}

/** One entry to be written. */
export interface EntryChange {
  /** Within the job. */
  readonly name: string
  /** The revision that is replaced; 0: there is no such entry yet. */
  readonly replaces: number
  /** Well-formed Unicode, as what `JSON.stringify` gives. */
  readonly text: string
  /** How long the account is kept from now, at least. */
  readonly keepMs: number
  /** Of entries in this account. */
  readonly mostEntries: number
  /** Atomic units, of at most 2^53; negative: given back. Bounds are checked where it is more than zero. */
  readonly amount: bigint
  /** Of all amounts of this job, in atomic units. */
  readonly mostOfJob: bigint
  /** Sums to which the amount counts as well. */
  readonly sums: readonly SumBound[]
}

/** A sum over jobs. */
export interface SumBound {
  readonly key: string
  /** Atomic units. */
  readonly most: bigint
  readonly keepMs: number
  /** What the job has entered is taken from it again when the job is settled, as far as it was paid. */
  readonly untilSettled: boolean
}

/**
 * - `not-held`: another has claimed the job since, or it was forgotten.
 * - `settled`: the job is paid and its account closed.
 * - `replaced`: the entry has another revision by now.
 * - `full`: the account has as many entries as it may.
 * - `over`: a bound would be exceeded: the job's (`sum` undefined) or a sum's, of which so much is left.
 *
 * Nothing changed, except where it is `entered`.
 */
export type EnterOutcome =
  | { readonly kind: 'entered' }
  | { readonly kind: 'not-held' }
  | { readonly kind: 'settled' }
  | { readonly kind: 'replaced' }
  | { readonly kind: 'full' }
  | { readonly kind: 'over'; readonly sum: string | undefined; readonly left: bigint }

/** Atomic units. */
export interface Totals {
  readonly job: bigint
  /** In the order in which they were asked for. */
  readonly sums: readonly bigint[]
}
