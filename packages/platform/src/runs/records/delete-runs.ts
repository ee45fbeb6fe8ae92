import type { Database } from '@farebox/server/internal/postgres/connect'
import type { RunRow } from './run-row.ts'

/** For how long a run is kept: from its start where nothing of it was paid, and otherwise from its last change. */
const UNPAID_KEPT_DAYS = 7
const KEPT_DAYS = 60
/** And after its start, where it has no payer who could come back to it. */
const NOBODYS_KEPT_MS = 3_600_000

const DAY_MS = 86_400_000
const BATCH = 100

/**
 * When a run is deleted that was started without a payment and without a session; undefined for every other: that is some
 * time after its last change. Unix milliseconds.
 */
export function keptUntilMs({
  payer,
  hasAccount,
  createdAtMs,
}: Pick<RunRow, 'payer' | 'hasAccount' | 'createdAtMs'>): number | undefined {
  return payer === undefined && !hasAccount ? createdAtMs + NOBODYS_KEPT_MS : undefined
}

/**
 * Deletes runs that have not changed for long, with their inputs, outputs and payments. A run with a payment that may
 * still be charged is kept. What was paid, and the receipts, stay with the jobs.
 *
 * @returns how many
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
  // Its waits change it, and keep nothing.
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

/** Deletes one run, at its payer's wish, or at the operator's one of which nothing was paid (`ofNobody`). Returns false where a payment of it may still be charged. */
export async function deleteRun(
  database: Database,
  runId: string,
  { ofNobody = false }: { readonly ofNobody?: boolean } = {},
): Promise<boolean> {
  const rows = await database.query(
    ofNobody ? 'delete-unpaid-run' : 'delete-run',
    `delete from runs where run_id = $1 and jsonb_array_length(plan -> 'sent') = 0
     ${ofNobody ? 'and started_from is not null' : ''} returning 1 as one`,
    [runId],
  )
  return rows.length > 0
}
