import type pg from 'pg'
import { JOB_COLUMNS, toJobRow, type JobColumns, type JobRow } from './job-row.ts'
import type { NewJob } from './job-store.ts'

/**
 * Opens a job once more that its agent failed without charging, within a transaction: due at once, with the bytes and the
 * payment of `job`, and as if nothing had been heard of it. What it was ordered for, and by whom, stays as it was.
 *
 * Of several at a time one opens it. A worker that is still at the attempt before loses it: its lease ends here, and
 * whatever it finds out is written to its own attempt only (`changeJob`, `releaseJob`). That it was the agent's fault
 * stays until the job is delivered, so that a retry neither hides a failure nor counts it twice.
 *
 * @returns undefined where it is not failed, or its payment not open, or it has been retried since `attempt`
 */
export async function reopenJobIn(
  client: pg.PoolClient,
  job: NewJob,
  retry: { readonly attempt: number; readonly nowMs: number; readonly orderedFrom: string },
): Promise<JobRow | undefined> {
  const { rows } = await client.query<JobColumns>(REOPEN, [
    job.jobId,
    retry.attempt,
    new Date(retry.nowMs),
    new Date(retry.nowMs + job.maxDeadlineSeconds * 1_000),
    job.inputHash,
    job.endpoint,
    job.maxDeadlineSeconds,
    job.deadline,
    Buffer.from(job.requestBody, 'utf8'),
    job.sealedPayment,
    retry.orderedFrom,
  ])
  const [row] = rows
  if (row === undefined) return undefined
  // Its contents are needed again; when they go is noted anew when it has ended.
  await client.query('delete from unpaid_contents where job_id = $1', [job.jobId])
  return toJobRow(row)
}

const REOPEN = `
  update jobs set attempt = attempt + 1, retried_at = $3, keeps_input = keeps_input or error_type = 'payment',
    state = 'sent', has_expired = false, answer = 'none', asking_over = false, error_type = null, error = null,
    fault = case when fault = 'agent' then fault end, expires_at = $4, finished_at = null, elapsed_ms = null,
    input_hash = $5, endpoint = $6, max_deadline_seconds = $7, deadline = $8, request_body = $9, sealed_payment = $10,
    ordered_from = $11, contents_deleted_at = null,
    response_status = null, response_headers = null, response_body = null, output_hash = null, output_problem = null,
    completed_at = null, first_asked_at = null, had_fair_time = false, put_off = false, sendings = 0,
    foreign_answers = 0, next_look_at = $3, sends = true, lease_until = null, lease_holder = null
  where job_id = $1 and attempt = $2 and answer = 'failed' and payment = 'open'
  returning ${JOB_COLUMNS}`
