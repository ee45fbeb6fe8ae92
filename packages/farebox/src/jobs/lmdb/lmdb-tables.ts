import type { RootDatabase } from 'lmdb'
import type { Job } from '../job.ts'
import type { JobRow, PaymentClaim } from '../job-row.ts'

/**
 * The tables of an lmdb job store with their indexes, which change together: whatever writes must be called
 * inside a transaction of the database, and given the row as it lies there (`before`), forgotten already or
 * not.
 */
export interface LmdbTables {
  /** Throws where a later release wrote the row. */
  job(jobKey: string): JobRow | undefined
  putJob(jobKey: string, before: JobRow | undefined, after: JobRow): void
  removeJob(jobKey: string, before: JobRow): void
  /** Throws where a later release wrote the row. */
  payment(paymentKey: string): PaymentClaim | undefined
  putPayment(paymentKey: string, before: PaymentClaim | undefined, after: PaymentClaim): void
  removePayment(paymentKey: string, before: PaymentClaim): void
  /** Keys of the jobs whose state is `saved`, held or not. */
  savedJobs(): readonly string[]
  /** Deletes at most so many of the rows whose time to be forgotten lies before the given one. */
  sweep(beforeMs: number, limit: number): void
}

/** Form of a row; a job's record has a version of its own. */
const ROW_VERSION = 1

type EncodedJobRow = [
  version: number,
  fence: string,
  leaseEndsMs: number,
  /** Null where it must never be forgotten. */
  forgetAtMs: number | null,
  sealed: boolean,
  job: Job,
]

type ExpiryKey = [forgottenMs: number, table: 'job' | 'payment', key: string]

/** Opens the tables, and creates those that are missing. Throws what lmdb throws. */
export function openLmdbTables(root: RootDatabase): LmdbTables {
  const jobs = root.openDB<string, string>('jobs', { encoding: 'string' })
  const payments = root.openDB<string, string>('payments', { encoding: 'string' })
  const saved = root.openDB<string, string>('saved', { encoding: 'string' })
  const expiry = root.openDB<string, ExpiryKey>('expiry', { encoding: 'string' })

  return {
    job: jobKey => decodeJobRow(jobs.get(jobKey)),
    putJob(jobKey, before, after) {
      // First of all: what cannot be encoded then leaves no trace, for lmdb does not take back a step that
      // threw.
      const encoded = encodeJobRow(after)
      jobs.putSync(jobKey, encoded)
      if (after.job.state === 'saved') saved.putSync(jobKey, '')
      else if (before?.job.state === 'saved') saved.removeSync(jobKey)
      moveExpiry('job', jobKey, before?.forgottenMs, after.forgottenMs)
    },
    removeJob(jobKey, before) {
      jobs.removeSync(jobKey)
      saved.removeSync(jobKey)
      moveExpiry('job', jobKey, before.forgottenMs, undefined)
    },
    payment: paymentKey => decodePaymentRow(payments.get(paymentKey)),
    putPayment(paymentKey, before, after) {
      payments.putSync(paymentKey, JSON.stringify([ROW_VERSION, after.jobKey, after.forgottenMs]))
      moveExpiry('payment', paymentKey, before?.forgottenMs, after.forgottenMs)
    },
    removePayment(paymentKey, before) {
      payments.removeSync(paymentKey)
      moveExpiry('payment', paymentKey, before.forgottenMs, undefined)
    },
    savedJobs: () => [...saved.getKeys()],
    sweep(beforeMs, limit) {
      // Read to the end first: the loop deletes where it would be reading.
      const due = [...expiry.getKeys({ end: [beforeMs], limit })]
      for (const expired of due) {
        const [, table, key] = expired
        if (table === 'job') jobs.removeSync(key)
        else payments.removeSync(key)
        expiry.removeSync(expired)
      }
    },
  }

  /** A row is in this index once, at its own time; one that must never be forgotten is not in it. */
  function moveExpiry(
    table: ExpiryKey[1],
    key: string,
    beforeMs: number | undefined,
    afterMs: number | undefined,
  ): void {
    if (beforeMs === afterMs) return
    if (beforeMs !== undefined && Number.isFinite(beforeMs)) expiry.removeSync([beforeMs, table, key])
    if (afterMs !== undefined && Number.isFinite(afterMs)) expiry.putSync([afterMs, table, key], '')
  }
}

/** JSON, because it writes a lone surrogate as an escape where UTF-8 would lose it (D24: byte-identical). */
function encodeJobRow({ fence, leaseEndsMs, forgottenMs, sealed, job }: JobRow): string {
  const forgetAtMs = Number.isFinite(forgottenMs) ? forgottenMs : null
  return JSON.stringify([ROW_VERSION, fence, leaseEndsMs, forgetAtMs, sealed, job])
}

function decodeJobRow(encoded: string | undefined): JobRow | undefined {
  if (encoded === undefined) return undefined
  // Only this file writes these rows.
  const [version, fence, leaseEndsMs, forgetAtMs, sealed, job] = JSON.parse(encoded) as EncodedJobRow
  if (version !== ROW_VERSION || job.version !== 1) throw laterRelease()
  return { fence, leaseEndsMs, forgottenMs: forgetAtMs ?? Number.POSITIVE_INFINITY, sealed, job }
}

function decodePaymentRow(encoded: string | undefined): PaymentClaim | undefined {
  if (encoded === undefined) return undefined
  // Only this file writes these rows.
  const [version, jobKey, forgottenMs] = JSON.parse(encoded) as [
    version: number,
    jobKey: string,
    forgottenMs: number,
  ]
  if (version !== ROW_VERSION) throw laterRelease()
  return { jobKey, forgottenMs }
}

function laterRelease(): Error {
  return new Error('it holds a record that this release cannot read; did a later one write it?')
}
