import type { Database } from '@farebox/server/internal/postgres/connect'
import type { RunRow } from './run-row.ts'

/** How many days a run is kept: from its start when nothing of it was paid, otherwise from its last change. */
const UNPAID_KEPT_DAYS = 7
const KEPT_DAYS = 60
/** How long a run without a payer and without an account is kept after its start. */
const NOBODYS_KEPT_MS = 3_600_000

const DAY_MS = 86_400_000
const BATCH = 100

/**
 * When a run that was started without a payment and without a session is deleted, in Unix milliseconds. Undefined for
 * other runs, which are deleted some time after their last change.
 */
export function keptUntilMs({
  payer,
  hasAccount,
  createdAtMs,
}: Pick<RunRow, 'payer' | 'hasAccount' | 'createdAtMs'>): number | undefined {
  return payer === undefined && !hasAccount ? createdAtMs + NOBODYS_KEPT_MS : undefined
}

/**
 * Deletes runs that have not changed for a long time, with their inputs, outputs and payments. A run with a payment
 * that may still be charged is kept. Paid amounts and receipts remain stored with the jobs.
 *
 * @returns the number of deleted runs
 */
export async function deleteOldRuns(database: Database, nowMs: number): Promise<number> {
  let deleted = 0
  for (const { name, which, keptMs } of OLD)
    deleted += await deleteInBatches(database, name, { which, before: new Date(nowMs - keptMs) })
  return deleted
}

const OLD = [
  {
    name: 'delete-old-runs',
    which: 'started_from is null and changed_at < $1 order by changed_at',
    keptMs: KEPT_DAYS * DAY_MS,
  },
  // The time is counted from the start, because a run's waits change it without a payment.
  {
    name: 'delete-unpaid-runs',
    which: 'started_from is not null and created_at < $1 order by created_at',
    keptMs: UNPAID_KEPT_DAYS * DAY_MS,
  },
  {
    name: 'delete-nobodys-runs',
    which: 'payer is null and not has_account and created_at < $1 order by created_at',
    keptMs: NOBODYS_KEPT_MS,
  },
] as const

async function deleteInBatches(
  database: Database,
  name: string,
  { which, before }: { readonly which: string; readonly before: Date },
): Promise<number> {
  for (let deleted = 0; ;) {
    const rows = await database.query(
      name,
      `delete from runs where run_id in (
         select run_id from runs
         where jsonb_array_length(plan -> 'sent') = 0 and ${which} limit ${BATCH} for update skip locked)
       returning 1 as one`,
      [before],
    )
    deleted += rows.length
    if (rows.length < BATCH) return deleted
  }
}

/**
 * Deletes one run at its payer's request, or with `onlyUnpaid` at the operator's request if nothing of it was paid.
 * Resolves to false when a payment of it may still be charged.
 */
export async function deleteRun(
  database: Database,
  runId: string,
  { onlyUnpaid = false }: { readonly onlyUnpaid?: boolean } = {},
): Promise<boolean> {
  const rows = await database.query(
    onlyUnpaid ? 'delete-unpaid-run' : 'delete-run',
    `delete from runs where run_id = $1 and jsonb_array_length(plan -> 'sent') = 0
     ${onlyUnpaid ? 'and started_from is not null' : ''} returning 1 as one`,
    [runId],
  )
  return rows.length > 0
}
