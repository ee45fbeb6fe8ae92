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
  /** Does this row lie there, as it was put? All but its job is compared: nobody else writes under its fence. */
  isAsWritten(jobKey: string, row: JobRow): boolean
  putJob(jobKey: string, before: JobRow | undefined, after: JobRow): void
  removeJob(jobKey: string, before: JobRow): void
  /** Throws where a later release wrote the row. */
  payment(paymentKey: string): PaymentClaim | undefined
  putPayment(paymentKey: string, before: PaymentClaim | undefined, after: PaymentClaim): void
  removePayment(paymentKey: string, before: PaymentClaim): void
  /** Keys of the jobs whose state is `saved`, held or not. */
  savedJobs(): readonly string[]
  /** Looks at no more than so many of the rows whose time has come, and deletes those forgotten before the given time. */
  sweep(beforeMs: number, limit: number): void
}

/** Form of a row; a job's record has a version of its own. */
const ROW_VERSION = 1

/** A row that must not be forgotten yet, or never, is looked at again after so long. */
const LOOK_AGAIN_MS = 600_000

type EncodedJobRow = [
  version: number,
  fence: string,
  leaseEndsMs: number,
  /** Null where it must never be forgotten. */
  forgetAtMs: number | null,
  sealed: boolean,
  job: Job,
]

type ExpiryKey = [lookMs: number, table: 'job' | 'payment', key: string]

/** Opens the tables, and creates those that are missing. Throws what lmdb throws. */
export function openLmdbTables(root: RootDatabase): LmdbTables {
  const jobs = root.openDB<string, string>('jobs', { encoding: 'string' })
  const payments = root.openDB<string, string>('payments', { encoding: 'string' })
  const saved = root.openDB<string, string>('saved', { encoding: 'string' })
  const expiry = root.openDB<string, ExpiryKey>('expiry', { encoding: 'string' })

  return {
    job: jobKey => decodeJobRow(jobs.get(jobKey)),
    isAsWritten(jobKey, row) {
      const head = encodeHead(row)
      return jobs.getBinaryFast(jobKey)?.subarray(0, head.length).toString('latin1') === head
    },
    putJob(jobKey, before, after) {
      // First of all: what cannot be encoded then leaves no trace, for lmdb does not take back a step that
      // threw.
      const encoded = encodeJobRow(after)
      jobs.putSync(jobKey, encoded)
      if (after.job.state === 'saved') saved.putSync(jobKey, '')
      else if (before?.job.state === 'saved') saved.removeSync(jobKey)
      if (before !== undefined) return
      const { forgottenMs, leaseEndsMs } = after
      lookLater('job', jobKey, Number.isFinite(forgottenMs) ? forgottenMs : leaseEndsMs + LOOK_AGAIN_MS)
    },
    removeJob(jobKey, before) {
      jobs.removeSync(jobKey)
      saved.removeSync(jobKey)
      // Where it was kept anew its entry lies elsewhere, and finds nothing when its time comes.
      if (Number.isFinite(before.forgottenMs)) expiry.removeSync([before.forgottenMs, 'job', jobKey])
    },
    payment: paymentKey => decodePaymentRow(payments.get(paymentKey)),
    putPayment(paymentKey, before, after) {
      payments.putSync(paymentKey, JSON.stringify([ROW_VERSION, after.jobKey, after.forgottenMs]))
      if (before === undefined) lookLater('payment', paymentKey, after.forgottenMs)
    },
    removePayment(paymentKey, before) {
      payments.removeSync(paymentKey)
      expiry.removeSync([before.forgottenMs, 'payment', paymentKey])
    },
    savedJobs: () => [...saved.getKeys()],
    sweep(beforeMs, limit) {
      // Read to the end first: the loop deletes where it would be reading.
      const due = [...expiry.getKeys({ end: [beforeMs], limit })]
      for (const entry of due) {
        const [, table, key] = entry
        expiry.removeSync(entry)
        const row = table === 'job' ? decodeJobRow(jobs.get(key)) : decodePaymentRow(payments.get(key))
        if (row === undefined) continue
        if (row.forgottenMs > beforeMs)
          lookLater(table, key, Math.min(row.forgottenMs, beforeMs + LOOK_AGAIN_MS))
        else if (table === 'job') jobs.removeSync(key)
        else payments.removeSync(key)
      }
    },
  }

  /**
   * Each row has an entry in this index from when it is made: the time at which a sweep looks whether it is forgotten by
   * then. To move the entry with each change of the row would cost as much as the change.
   */
  function lookLater(table: ExpiryKey[1], key: string, atMs: number): void {
    expiry.putSync([atMs, table, key], '')
  }
}

/** JSON, because it writes a lone surrogate as an escape where UTF-8 would lose it (D24: byte-identical). */
function encodeJobRow(row: JobRow): string {
  return `${encodeHead(row)}${JSON.stringify(row.job)}]`
}

/** The row's JSON as far as its job. */
function encodeHead({ fence, leaseEndsMs, forgottenMs, sealed }: JobRow): string {
  const forgetAtMs = Number.isFinite(forgottenMs) ? forgottenMs : null
  return `[${ROW_VERSION},${JSON.stringify(fence)},${leaseEndsMs},${forgetAtMs},${sealed},`
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
