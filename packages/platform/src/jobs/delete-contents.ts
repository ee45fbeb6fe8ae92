import type { Database } from '@farebox/server/postgres/connect'

/** For how long inputs and outputs are kept where nobody says otherwise. */
export const CONTENTS_KEPT_DAYS = 30

const DAY_MS = 86_400_000
const BATCH = 1_000

/**
 * Deletes inputs and outputs of jobs older than `keptDays`, in which nothing is left to be done. What was paid, by
 * whom and when stays, and so does the receipt.
 *
 * @returns how many jobs
 */
export async function deleteOldContents(
  database: Database,
  nowMs: number,
  keptDays: number = CONTENTS_KEPT_DAYS,
): Promise<number> {
  const now = new Date(nowMs)
  const before = new Date(nowMs - keptDays * DAY_MS)
  for (let deleted = 0; ;) {
    const rows = await database.query(
      'delete-old-contents',
      `update jobs set ${FORGET}
       where job_id in (
         select job_id from jobs
         where created_at < $2 and contents_deleted_at is null and next_look_at is null
         order by created_at limit ${BATCH} for update skip locked)
       returning 1 as one`,
      [now, before],
    )
    deleted += rows.length
    if (rows.length < BATCH) return deleted
  }
}

/**
 * Deletes the input and the output of one job at its payer's wish.
 *
 * @returns false where something is left to be done for it, so that they are still needed
 */
export async function deleteContents(database: Database, jobId: string, nowMs: number): Promise<boolean> {
  const rows = await database.query(
    'delete-contents',
    `update jobs set ${FORGET} where job_id = $2 and (answer = 'completed' or next_look_at is null) returning 1 as one`,
    [new Date(nowMs), jobId],
  )
  return rows.length > 0
}

const FORGET = `request_body = null, response_body = null, response_headers = null,
  contents_deleted_at = coalesce(contents_deleted_at, $1)`
