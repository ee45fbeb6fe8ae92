import type { Database, RootDatabase } from 'lmdb'
import type { Job } from '../job.ts'
import type { StoredRow, PaymentClaim } from '../job-row.ts'

/** A job's row in the tables. */
export interface TableRow extends StoredRow {
  /** For a saved job: the payment that was claimed with it, while it is not yet in the table of payments. */
  readonly paid?: Paid | undefined
}

/** A payment, and the time at which its claim expires. */
export interface Paid {
  readonly key: string
  readonly forgottenMs: number
}

/**
 * The tables of an lmdb job store with their indexes, which change together. Methods that write must be called inside a
 * transaction of the database, and be given the row that is stored (`before`), whether it has expired or not.
 *
 * Saved jobs have a separate table. They are few, so the table has few pages, and a transaction that a caller waits for
 * writes only those pages; a job is moved to the large table when it is finished.
 */
export interface LmdbTables {
  /** Throws when a later release wrote the row. */
  job(jobKey: string): TableRow | undefined
  /**
   * Whether the stored row equals this one. Everything except the job is compared, because only the holder writes under
   * its fence.
   */
  isAsWritten(jobKey: string, row: TableRow): boolean
  putJob(jobKey: string, before: TableRow | undefined, after: TableRow): void
  removeJob(jobKey: string, before: TableRow): void
  /** Throws when a later release wrote the row. */
  payment(paymentKey: string): PaymentClaim | undefined
  putPayment(paymentKey: string, before: PaymentClaim | undefined, after: PaymentClaim): void
  removePayment(paymentKey: string, before: PaymentClaim): void
  /** The payment named by the row of a saved job. Throws when another release wrote the row. */
  paid(jobKey: string): Paid | undefined
  /** All jobs with the state `saved`, held or not, by key. */
  savedJobs(): ReadonlyMap<string, TableRow>
  /** Checks at most `limit` rows that are due, and deletes those that expired before the given time. */
  sweep(beforeMs: number, limit: number): void
}

/** Version of the row format; a job's record has its own version. */
const ROW_VERSION = 2

/** A row that is due but has not expired, or never expires, is checked again after this time. */
const LOOK_AGAIN_MS = 600_000

type EncodedJobRow = [
  version: number,
  fence: string,
  leaseEndsMs: number,
  /** Null for a row that must never be deleted. */
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

/** Opens the tables, and creates missing ones. Errors of lmdb pass; throws when another release wrote a row. */
export function openLmdbTables(root: RootDatabase): LmdbTables {
  const tables: OpenTables = {
    jobs: root.openDB<string, string>('jobs', { encoding: 'string' }),
    payments: root.openDB<string, string>('payments', { encoding: 'string' }),
    saved: root.openDB<string, string>('saved', { encoding: 'string' }),
    expiry: root.openDB<string, ExpiryKey>('expiry', { encoding: 'string' }),
  }
  // Checked at the start: later a sweep that finds such a row would abort every write, after the job has already run.
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
      // The row is encoded first: lmdb does not undo the writes of a step that throws, so an encoding error must occur
      // before them.
      const encoded = encodeJobRow(after)
      const table = tableOf(after)
      const tableBefore = before && tableOf(before)
      if (tableBefore !== undefined && tableBefore !== table) tableBefore.removeSync(jobKey)
      table.putSync(jobKey, encoded)
      // A saved job never expires, so it gets no entry.
      if (table === jobs && tableBefore !== jobs) lookLater(tables, ['job', jobKey], after.forgottenMs)
    },
    removeJob(jobKey, before) {
      tableOf(before).removeSync(jobKey)
      // An entry at another time, left by a renewal of the row, stays; the sweep finds no row for it.
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
  // The keys are read completely first, because the loop deletes from the index that it would be reading.
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
 * Adds an entry to the index, which every row has from its creation: the time at which a sweep checks whether the row
 * has expired. Moving the entry with each change of the row would cost as much as the change itself.
 */
function lookLater(
  { expiry }: OpenTables,
  [table, key]: readonly [ExpiryKey[1], string],
  atMs: number,
): void {
  expiry.putSync([atMs, table, key], '')
}

/** JSON writes a lone surrogate as an escape, which UTF-8 would lose (D24: byte-identical). */
function encodeJobRow(row: TableRow): string {
  const paid = row.paid === undefined ? '' : `,${JSON.stringify([row.paid.key, row.paid.forgottenMs])}`
  return `${encodeHead(row)}${JSON.stringify(row.job)}${paid}]`
}

/** The part of the row's JSON before its job. */
function encodeHead({ fence, leaseEndsMs, forgottenMs, sealed }: StoredRow): string {
  const forgetAtMs = Number.isFinite(forgottenMs) ? forgottenMs : null
  return `[${ROW_VERSION},${JSON.stringify(fence)},${leaseEndsMs},${forgetAtMs},${sealed},`
}

function decodeJobRow(encoded: string): TableRow {
  // Only this file writes these rows, so their shape is known.
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
  // Only this file writes these rows, so their shape is known.
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
