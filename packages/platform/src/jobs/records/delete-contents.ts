import type { Database } from '@farebox/server/internal/postgres/connect'
import type { JobRow } from './job-row.ts'

/** For how long inputs and outputs are kept where nobody says otherwise. */
const CONTENTS_KEPT_DAYS = 30

/** And those of jobs that nobody paid, from their end: whoever cannot pay must not fill the database. */
export const UNPAID_KEPT_MS = 1_800_000

const DAY_MS = 86_400_000
/** Of up to 6 MB each. */
const BATCH = 200

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
 * Notes that the contents of a job go soon, where it ended and was not paid: it was refused, or nothing is left to be
 * done for it. A payment that is still open is watched without them.
 */
export async function forgetIfUnpaid(
  database: Database,
  job: Pick<JobRow, 'jobId' | 'answer' | 'payment' | 'contentsDeletedAtMs'>,
  { nowMs, isOver }: { readonly nowMs: number; readonly isOver: boolean },
): Promise<void> {
  const { jobId, answer, payment, contentsDeletedAtMs } = job
  if (payment === 'paid' || contentsDeletedAtMs !== undefined || !(isOver || answer === 'failed')) return
  await database.query(
    'note-unpaid-contents',
    'insert into unpaid_contents (job_id, forget_at) values ($1, $2) on conflict do nothing',
    [jobId, new Date(nowMs + UNPAID_KEPT_MS)],
  )
}

/**
 * Deletes the contents of jobs that ended {@link UNPAID_KEPT_MS} ago, and the payment that could be sent with them. Those
 * that were paid in the meantime keep theirs, and what is not over after all is noted again when it is.
 *
 * @returns how many jobs
 */
export async function deleteUnpaidContents(database: Database, nowMs: number): Promise<number> {
  for (let deleted = 0; ;) {
    const [row] = await database.query<{ due: number; forgotten: number }>(
      'delete-unpaid-contents',
      `with due as (
         delete from unpaid_contents where job_id in (
           select job_id from unpaid_contents where forget_at <= $1
           order by forget_at limit ${BATCH} for update skip locked)
         returning job_id
       ), forgotten as (
         update jobs set ${FORGET}, sealed_payment = null
         where job_id in (select job_id from due) and payment <> 'paid' and contents_deleted_at is null
           and (answer = 'failed' or next_look_at is null)
         returning 1
       )
       select (select count(*)::int from due) as due, (select count(*)::int from forgotten) as forgotten`,
      [new Date(nowMs)],
    )
    deleted += row?.forgotten ?? 0
    if ((row?.due ?? 0) < BATCH) return deleted
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
  ordered_from = null, contents_deleted_at = coalesce(contents_deleted_at, $1)`
