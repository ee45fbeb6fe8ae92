import type { Clock } from '@farebox/protocol/time/clock'
import { open } from 'lmdb'
import type { RootDatabase } from 'lmdb'
import type { PaymentClaim } from '../job-row.ts'
import type { MachineClock } from '../machine-clock.ts'
import { openLmdbAccounts, type LmdbAccounts } from './lmdb-accounts.ts'
import { openLmdbClaims, type LmdbClaims } from './lmdb-claims.ts'
import { openLmdbTables, type LmdbTables } from './lmdb-tables.ts'
import { openLmdbTime, type LmdbTime } from './lmdb-time.ts'

/** An open folder with its databases. */
export interface LmdbFolder {
  /** The name as in `SERVICE_STORE`. */
  readonly name: string
  readonly root: RootDatabase
  readonly tables: LmdbTables
  readonly accounts: LmdbAccounts
  readonly claims: LmdbClaims
  readonly clock: LmdbTime
}

/**
 * Opens a folder, which is created when it is missing. Throws an error that names `SERVICE_STORE` and the folder when
 * it cannot be used.
 */
export function openLmdbFolder(folder: string, time: MachineClock | Pick<Clock, 'nowMs'>): LmdbFolder {
  const name = `lmdb:${folder}`
  try {
    const root = open({
      path: folder,
      // Explicit, because lmdb takes a path with a dot in its name for a file.
      noSubdir: false,
      overlappingSync: false,
      // With event turn batching lmdb leaves a promise without a handler, which ends the process when a commit fails.
      eventTurnBatching: false,
    })
    const isMachines = 'boot' in time
    const clock = isMachines
      ? openLmdbTime(root, time)
      : { run: 'one', nowMs: () => time.nowMs(), note: () => {} }
    const tables = openLmdbTables(root)
    const run = { name: clock.run, isFlushed: !isMachines || time.boot === undefined }
    const claims = openLmdbClaims(folder, run, () => paymentsOf(tables))
    return { name, root, tables, accounts: openLmdbAccounts(root), claims, clock }
  } catch (error) {
    throw unusableFolder(name, error)
  }
}

/** The payments that are named only by the rows of saved jobs. */
function paymentsOf(tables: LmdbTables): ReadonlyMap<string, PaymentClaim> {
  const payments = new Map<string, PaymentClaim>()
  for (const [jobKey, { paid }] of tables.savedJobs()) {
    const other = paid && payments.get(paid.key)
    // Rows may also name claims that have expired; the latest claim of a payment is used.
    if (paid !== undefined && (other === undefined || other.forgottenMs < paid.forgottenMs))
      payments.set(paid.key, { jobKey, forgottenMs: paid.forgottenMs })
  }
  return payments
}

/** The error for a store whose folder cannot be used. */
export function unusableFolder(name: string, cause: unknown): Error {
  return new Error(`SERVICE_STORE=${name}: this folder cannot be used: ${messageOf(cause)}`, { cause })
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
