import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { open } from 'lmdb'
import type { RootDatabase } from 'lmdb'
import type { RunningJob } from '../job.ts'
import type { StoredRow, PaymentClaim } from '../job-row.ts'

/** A running job that has only a claim and no row in the tables. */
export interface ClaimedRow extends StoredRow {
  readonly job: RunningJob
  /** Key of the payment that was claimed with the job. */
  readonly payment: string | undefined
}

/** Claims that are no longer needed: the job's claim, if it has this fence, and claims of payments for that job. */
export interface PastClaim {
  readonly jobKey: string
  readonly fence: string
  readonly payments: readonly string[]
}

/**
 * The claims of running jobs, in a separate database that is not flushed: they bind the processes that are running now,
 * and survive `kill -9` of any of them, but not a restart of the machine, which no claiming process survives either.
 * When a job has a row in the tables (`lmdb-tables.ts`), that row takes precedence over its claim.
 *
 * The payment of a saved job is claimed here too, until its row is written for the last time. The row names the
 * payment, and the first process that opens the folder after a restart of the machine claims it again.
 */
export interface LmdbClaims {
  /**
   * Runs a step with exclusive access to the claims, across all processes; other processes see its changes when it
   * returns. It blocks this thread while steps of other processes run, some microseconds each. It may run inside a
   * transaction of the tables, and must never begin one. Throws the step's error, and an error when nothing can be
   * written; in both cases nothing changes.
   */
  exclusively<Result>(step: () => Result): Result
  /** Makes recent changes by other processes visible to reads outside of `exclusively`. */
  refresh(): void
  job(jobKey: string): ClaimedRow | undefined
  putJob(jobKey: string, row: ClaimedRow): void
  payment(paymentKey: string): PaymentClaim | undefined
  putPayment(paymentKey: string, claim: PaymentClaim): void
  /** Removes the claims, unless another process has claimed the job since. */
  remove(past: PastClaim): void
  /**
   * Checks at most `limit` rows, starting where the last sweep stopped, and deletes those that expired before the given
   * time.
   */
  sweep(beforeMs: number, limit: number): void
  close(): Promise<void>
}

type EncodedClaim = [
  version: number,
  fence: string,
  leaseEndsMs: number,
  forgottenMs: number,
  payment: string | null,
  job: RunningJob,
]
type EncodedPayment = [version: number, jobKey: string, forgottenMs: number]

const ROW_VERSION = 1
const FOLDER_PREFIX = 'claims-'
/** Jobs and payments share the database's main table, because each further table would add two pages to every write. */
const JOB = 'j:'
const PAYMENT = 'p:'
const RESTORED = 'restored'
/**
 * Written and removed at first, so that on a full disk the free pages still allow renewals and releases of a few jobs.
 */
const ROOM = 'room'
const ROOM_BYTES = 262_144

/**
 * Opens the claims of the current run of the machine in a folder of an lmdb job store, and deletes those of earlier
 * runs, which may be corrupt because they were not flushed. Errors of lmdb and of the file system pass.
 *
 * @param run - the run of the machine; when the system does not identify its runs, each step is flushed
 * @param restore - returns the payments to claim before anything else; called once per run of the machine
 */
export function openLmdbClaims(
  folder: string,
  run: { readonly name: string; readonly isFlushed: boolean },
  restore: () => ReadonlyMap<string, PaymentClaim>,
): LmdbClaims {
  const name = `${FOLDER_PREFIX}${run.name}`
  for (const entry of readdirSync(folder)) {
    if (entry.startsWith(FOLDER_PREFIX) && entry !== name)
      rmSync(join(folder, entry), { recursive: true, force: true })
  }
  const root = open<string, string>({
    path: join(folder, name),
    encoding: 'string',
    noSubdir: false,
    noSync: !run.isFlushed,
    overlappingSync: false,
    eventTurnBatching: false,
  })
  const claims = overTable(root)
  claims.exclusively(() => {
    if (root.get(RESTORED) !== undefined) return
    for (const [paymentKey, claim] of restore()) claims.putPayment(paymentKey, claim)
    root.putSync(RESTORED, '')
    root.putSync(ROOM, 'x'.repeat(ROOM_BYTES))
  })
  claims.exclusively(() => {
    if (root.get(ROOM) !== undefined) root.removeSync(ROOM)
  })
  return claims
}

function overTable(root: RootDatabase<string, string>): LmdbClaims {
  /** The key at which the next sweep starts. */
  let sweptKey = ''
  const job = (jobKey: string): ClaimedRow | undefined => {
    const encoded = root.get(JOB + jobKey)
    return encoded === undefined ? undefined : decodeClaim(encoded)
  }
  const payment = (paymentKey: string): PaymentClaim | undefined => {
    const encoded = root.get(PAYMENT + paymentKey)
    return encoded === undefined ? undefined : decodePayment(encoded)
  }
  return {
    exclusively: step => root.transactionSync(step),
    refresh: () => root.resetReadTxn(),
    job,
    putJob(jobKey, row) {
      const { fence, leaseEndsMs, forgottenMs } = row
      const encoded: EncodedClaim = [
        ROW_VERSION,
        fence,
        leaseEndsMs,
        forgottenMs,
        row.payment ?? null,
        row.job,
      ]
      root.putSync(JOB + jobKey, JSON.stringify(encoded))
    },
    payment,
    putPayment(paymentKey, { jobKey, forgottenMs }) {
      const encoded: EncodedPayment = [ROW_VERSION, jobKey, forgottenMs]
      root.putSync(PAYMENT + paymentKey, JSON.stringify(encoded))
    },
    remove(past) {
      const row = job(past.jobKey)
      if (row !== undefined && row.fence !== past.fence) return
      if (row !== undefined) root.removeSync(JOB + past.jobKey)
      for (const key of past.payments)
        if (payment(key)?.jobKey === past.jobKey) root.removeSync(PAYMENT + key)
    },
    sweep(beforeMs, limit) {
      // The rows are read completely first, because the loop deletes from the range that it would be reading.
      const rows = [
        ...root.getRange({ start: sweptKey, exclusiveStart: sweptKey !== '', end: RESTORED, limit }),
      ]
      sweptKey = rows.length < limit ? '' : (rows.at(-1)?.key ?? '')
      for (const { key, value } of rows) {
        const { forgottenMs } = key.startsWith(JOB) ? decodeClaim(value) : decodePayment(value)
        if (forgottenMs <= beforeMs) root.removeSync(key)
      }
    },
    close: () => root.close(),
  }
}

function decodeClaim(encoded: string): ClaimedRow {
  // Only this file writes these rows, so their shape is known.
  const [version, fence, leaseEndsMs, forgottenMs, payment, job] = JSON.parse(encoded) as EncodedClaim
  if (version !== ROW_VERSION) throw laterRelease()
  return { fence, leaseEndsMs, forgottenMs, sealed: false, job, payment: payment ?? undefined }
}

function decodePayment(encoded: string): PaymentClaim {
  const [version, jobKey, forgottenMs] = JSON.parse(encoded) as EncodedPayment
  if (version !== ROW_VERSION) throw laterRelease()
  return { jobKey, forgottenMs }
}

function laterRelease(): Error {
  return new Error(
    'it holds a claim that this release cannot read: stop the processes of another release that use it',
  )
}
