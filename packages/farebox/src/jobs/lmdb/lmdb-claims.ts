import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { open } from 'lmdb'
import type { RootDatabase } from 'lmdb'
import type { RunningJob } from '../job.ts'
import type { StoredRow, PaymentClaim } from '../job-row.ts'

/** A running job of which nothing else is kept yet. */
export interface ClaimedRow extends StoredRow {
  readonly job: RunningJob
  /** Key of the payment that was claimed with it. */
  readonly payment: string | undefined
}

/** Claims that are no longer needed: the job's, where it is of this fence, and those of payments for that job. */
export interface PastClaim {
  readonly jobKey: string
  readonly fence: string
  readonly payments: readonly string[]
}

/**
 * The claims of running jobs, in a database of their own that is not flushed: they bind the processes that run now and
 * survive `kill -9` of any of them, but not the machine; nor does who made them.
 * Where a job has a row in the tables (`lmdb-tables.ts`), that row counts and its claim here does not.
 *
 * The payment of a saved job is claimed here too, until its row is written for the last time. That row names it, and the
 * first to open the folder after a start of the machine claims it again.
 */
export interface LmdbClaims {
  /**
   * Runs a step with the claims to itself, over all processes; what it changed is seen by them when it returns. It blocks
   * this thread for as long as the steps of others take, some microseconds each. May run inside a transaction of the
   * tables, and must never begin one. Throws what the step throws, and where nothing can be written; nothing is changed then.
   */
  exclusively<Result>(step: () => Result): Result
  /** Without this a look outside of `exclusively` may miss what another process has just changed. */
  refresh(): void
  job(jobKey: string): ClaimedRow | undefined
  putJob(jobKey: string, row: ClaimedRow): void
  payment(paymentKey: string): PaymentClaim | undefined
  putPayment(paymentKey: string, claim: PaymentClaim): void
  /** Removes it where nobody has claimed the job since. */
  remove(past: PastClaim): void
  /** Looks at no more than so many rows, going on where it stopped before, and deletes those forgotten before the given time. */
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
/** Jobs and payments lie in one table, the database's own: each further one would be two pages more that a step writes. */
const JOB = 'j:'
const PAYMENT = 'p:'
const RESTORED = 'restored'
/** Written and removed at first, so that few jobs are renewed and ended in pages that are there, when the disk is full. */
const ROOM = 'room'
const ROOM_BYTES = 262_144

/**
 * Opens the claims of this run of the machine in a folder of an lmdb job store, and deletes those of runs before it: what
 * was not flushed then may be broken. Throws what lmdb and the file system throw.
 *
 * @param run - of the machine, by name; where the system does not name its runs, each step is flushed
 * @param restore - what must be claimed before anything else is, called once in a run of the machine
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
  /** Where the sweep goes on. */
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
      // Read to the end first: the loop deletes where it would be reading.
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
  // Only this file writes these rows.
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
