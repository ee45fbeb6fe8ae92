import type { Database } from '@farebox/server/internal/postgres/connect'

/** For how long a run is kept after its last change: where nothing of it was paid, and otherwise. */
const UNPAID_KEPT_DAYS = 7
const KEPT_DAYS = 60

const DAY_MS = 86_400_000
const BATCH = 100

/**
 * Deletes runs that nobody has touched for long, with their inputs, outputs and payments. A run with a payment that may
 * still be charged is kept. What was paid, and the receipts, stay with the jobs.
 *
 * @returns how many
 */
export async function deleteOldRuns(database: Database, nowMs: number): Promise<number> {
  for (let deleted = 0; ;) {
    const rows = await database.query(
      'delete-old-runs',
      `delete from runs where run_id in (
         select run_id from runs
         where changed_at < case when started_from is null then $1::timestamptz else $2::timestamptz end
           and changed_at < $2 and jsonb_array_length(plan -> 'sent') = 0
         order by changed_at limit ${BATCH} for update skip locked)
       returning 1 as one`,
      [new Date(nowMs - KEPT_DAYS * DAY_MS), new Date(nowMs - UNPAID_KEPT_DAYS * DAY_MS)],
    )
    deleted += rows.length
    if (rows.length < BATCH) return deleted
  }
}

/** Deletes one run at its payer's wish. Returns false where a payment of it may still be charged. */
export async function deleteRun(database: Database, runId: string): Promise<boolean> {
  const rows = await database.query(
    'delete-run',
    `delete from runs where run_id = $1 and jsonb_array_length(plan -> 'sent') = 0 returning 1 as one`,
    [runId],
  )
  return rows.length > 0
}
