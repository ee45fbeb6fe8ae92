import type { Database } from '@farebox/server/internal/postgres/connect'
import type { JobRow } from './job-row.ts'

/** The default number of days for which inputs and outputs are kept. */
const CONTENTS_KEPT_DAYS = 30

/**
 * How long the contents of unpaid jobs are kept after their end, so that callers who cannot pay do not fill the database.
 */
export const UNPAID_KEPT_MS = 1_800_000

const DAY_MS = 86_400_000
/** Jobs per statement; each has up to 6 MB. */
const BATCH = 200

/**
 * Deletes inputs and outputs of jobs older than `keptDays` for which no work is left. The payment data and the receipt are
 * kept.
 *
 * @returns the number of jobs
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
 * Schedules the deletion of an ended job's contents when it was not paid: when it was refused, or when no work is left for
 * it. An open payment can be watched without the contents.
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
 * Deletes the contents of jobs that ended {@link UNPAID_KEPT_MS} ago, and the payment that could be sent with them. Jobs
 * that were paid meanwhile keep theirs; a job that is not over is scheduled again when it ends.
 *
 * @returns the number of jobs
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
 * Deletes the input and output of one job at its payer's request.
 *
 * @returns false when work is left for the job, so that its contents are still needed
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
