import type { Database, RootDatabase } from 'lmdb'
import type { Job } from '../job.ts'
import type { StoredRow, PaymentClaim } from '../job-row.ts'

/** A job as it lies in the tables. */
export interface TableRow extends StoredRow {
  /** Of a saved job: the payment that was claimed with it, and is not among the payments of the tables yet. */
  readonly paid?: Paid | undefined
}

/** A payment, and when its claim is over. */
export interface Paid {
  readonly key: string
  readonly forgottenMs: number
}

/**
 * The tables of an lmdb job store with their indexes, which change together: whatever writes must be called
 * inside a transaction of the database, and given the row as it lies there (`before`), forgotten already or
 * not.
 *
 * Saved jobs have a table of their own. They are few, so their pages are few, and a transaction that somebody waits for
 * writes no others; a job comes into the large table once it is over.
 */
export interface LmdbTables {
  /** Throws where a later release wrote the row. */
  job(jobKey: string): TableRow | undefined
  /** Does this row lie there, as it was put? All but its job is compared: nobody else writes under its fence. */
  isAsWritten(jobKey: string, row: TableRow): boolean
  putJob(jobKey: string, before: TableRow | undefined, after: TableRow): void
  removeJob(jobKey: string, before: TableRow): void
  /** Throws where a later release wrote the row. */
  payment(paymentKey: string): PaymentClaim | undefined
  putPayment(paymentKey: string, before: PaymentClaim | undefined, after: PaymentClaim): void
  removePayment(paymentKey: string, before: PaymentClaim): void
  /** The payment that the row of a saved job names. Throws where another release wrote the row. */
  paid(jobKey: string): Paid | undefined
  /** The jobs whose state is `saved`, held or not, by key. */
  savedJobs(): ReadonlyMap<string, TableRow>
  /** Looks at no more than so many of the rows whose time has come, and deletes those forgotten before the given time. */
  sweep(beforeMs: number, limit: number): void
}

/** Form of a row; a job's record has a version of its own. */
const ROW_VERSION = 2

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
  paid?: [key: string, forgottenMs: number],
]

type ExpiryKey = [lookMs: number, table: 'job' | 'payment', key: string]

interface OpenTables {
  readonly jobs: Database<string, string>
  readonly payments: Database<string, string>
  readonly saved: Database<string, string>
  readonly expiry: Database<string, ExpiryKey>
}

/** Opens the tables, and creates those that are missing. Throws what lmdb throws, and where another release wrote a row. */
export function openLmdbTables(root: RootDatabase): LmdbTables {
  const tables: OpenTables = {
    jobs: root.openDB<string, string>('jobs', { encoding: 'string' }),
    payments: root.openDB<string, string>('payments', { encoding: 'string' }),
    saved: root.openDB<string, string>('saved', { encoding: 'string' }),
    expiry: root.openDB<string, ExpiryKey>('expiry', { encoding: 'string' }),
  }
  // At the start: a sweep that finds such a row would break off every write, and the job is run by then.
  for (const { value } of tables.jobs.getRange({ limit: 1 })) decodeJobRow(value)
  for (const { value } of tables.payments.getRange({ limit: 1 })) decodePaymentRow(value)
  return {
    ...jobsIn(tables),
    ...paymentsIn(tables),
    sweep: (beforeMs, limit) => sweep(tables, beforeMs, limit),
  }
}

function jobsIn(
  tables: OpenTables,
): Pick<LmdbTables, 'job' | 'isAsWritten' | 'putJob' | 'removeJob' | 'paid' | 'savedJobs'> {
  const { jobs, saved, expiry } = tables
  const tableOf = ({ job }: StoredRow): typeof jobs => (job.state === 'saved' ? saved : jobs)
  return {
    job(jobKey) {
      const encoded = saved.get(jobKey) ?? jobs.get(jobKey)
      return encoded === undefined ? undefined : decodeJobRow(encoded)
    },
    isAsWritten(jobKey, row) {
      const head = encodeHead(row)
      return tableOf(row).getBinaryFast(jobKey)?.subarray(0, head.length).toString('latin1') === head
    },
    putJob(jobKey, before, after) {
      // First of all: what cannot be encoded then leaves no trace, for lmdb does not take back a step that
      // threw.
      const encoded = encodeJobRow(after)
      const table = tableOf(after)
      const tableBefore = before && tableOf(before)
      if (tableBefore !== undefined && tableBefore !== table) tableBefore.removeSync(jobKey)
      table.putSync(jobKey, encoded)
      // A saved job is never forgotten.
      if (table === jobs && tableBefore !== jobs) lookLater(tables, ['job', jobKey], after.forgottenMs)
    },
    removeJob(jobKey, before) {
      tableOf(before).removeSync(jobKey)
      // Where it was kept again its entry lies elsewhere, and finds nothing when its time comes.
      if (tableOf(before) === jobs) expiry.removeSync([before.forgottenMs, 'job', jobKey])
    },
    paid(jobKey) {
      const encoded = saved.get(jobKey)
      return encoded === undefined ? undefined : decodeJobRow(encoded).paid
    },
    savedJobs: () => new Map([...saved.getRange()].map(({ key, value }) => [key, decodeJobRow(value)])),
  }
}

function paymentsIn(tables: OpenTables): Pick<LmdbTables, 'payment' | 'putPayment' | 'removePayment'> {
  const { payments, expiry } = tables
  return {
    payment(paymentKey) {
      const encoded = payments.get(paymentKey)
      return encoded === undefined ? undefined : decodePaymentRow(encoded)
    },
    putPayment(paymentKey, before, after) {
      payments.putSync(paymentKey, JSON.stringify([ROW_VERSION, after.jobKey, after.forgottenMs]))
      if (before === undefined) lookLater(tables, ['payment', paymentKey], after.forgottenMs)
    },
    removePayment(paymentKey, before) {
      payments.removeSync(paymentKey)
      expiry.removeSync([before.forgottenMs, 'payment', paymentKey])
    },
  }
}

function sweep(tables: OpenTables, beforeMs: number, limit: number): void {
  const { jobs, payments, expiry } = tables
  // Read to the end first: the loop deletes where it would be reading.
  const due = [...expiry.getKeys({ end: [beforeMs], limit })]
  for (const entry of due) {
    const [, table, key] = entry
    expiry.removeSync(entry)
    const encoded = (table === 'job' ? jobs : payments).get(key)
    if (encoded === undefined) continue
    const { forgottenMs } = table === 'job' ? decodeJobRow(encoded) : decodePaymentRow(encoded)
    if (forgottenMs > beforeMs)
      lookLater(tables, [table, key], Math.min(forgottenMs, beforeMs + LOOK_AGAIN_MS))
    else if (table === 'job') jobs.removeSync(key)
    else payments.removeSync(key)
  }
}

/**
 * Each row has an entry in this index from when it is made: the time at which a sweep looks whether it is forgotten by
 * then. To move the entry with each change of the row would cost as much as the change.
 */
function lookLater(
  { expiry }: OpenTables,
  [table, key]: readonly [ExpiryKey[1], string],
  atMs: number,
): void {
  expiry.putSync([atMs, table, key], '')
}

/** JSON, because it writes a lone surrogate as an escape where UTF-8 would lose it (D24: byte-identical). */
function encodeJobRow(row: TableRow): string {
  const paid = row.paid === undefined ? '' : `,${JSON.stringify([row.paid.key, row.paid.forgottenMs])}`
  return `${encodeHead(row)}${JSON.stringify(row.job)}${paid}]`
}

/** The row's JSON as far as its job. */
function encodeHead({ fence, leaseEndsMs, forgottenMs, sealed }: StoredRow): string {
  const forgetAtMs = Number.isFinite(forgottenMs) ? forgottenMs : null
  return `[${ROW_VERSION},${JSON.stringify(fence)},${leaseEndsMs},${forgetAtMs},${sealed},`
}

function decodeJobRow(encoded: string): TableRow {
  // Only this file writes these rows.
  const [version, fence, leaseEndsMs, forgetAtMs, sealed, job, paid] = JSON.parse(encoded) as EncodedJobRow
  if (version !== ROW_VERSION || job.version !== 1) throw otherRelease()
  return {
    fence,
    leaseEndsMs,
    forgottenMs: forgetAtMs ?? Number.POSITIVE_INFINITY,
    sealed,
    job,
    paid: paid && { key: paid[0], forgottenMs: paid[1] },
  }
}

function decodePaymentRow(encoded: string): PaymentClaim {
  // Only this file writes these rows.
  const [version, jobKey, forgottenMs] = JSON.parse(encoded) as [
    version: number,
    jobKey: string,
    forgottenMs: number,
  ]
  if (version !== ROW_VERSION) throw otherRelease()
  return { jobKey, forgottenMs }
}

function otherRelease(): Error {
  return new Error(
    'it holds a record that this release cannot read, written by another one: use that release, or name another folder',
  )
}
