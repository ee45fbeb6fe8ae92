import type pg from 'pg'
import { JOB_COLUMNS, toJobRow, type JobColumns, type JobRow } from './job-row.ts'
import type { NewJob } from './job-store.ts'

/**
 * Opens a job again that its agent failed without charging, in the caller's transaction: due at once, with the bytes and
 * payment of `job`, and with the earlier answer cleared. The order's payer, agent and capability stay the same.
 *
 * Of several concurrent calls only one opens it. A worker that is still driving the previous attempt loses its lease, and
 * its results are written only for its own attempt (`changeJob`, `releaseJob`). A recorded fault of the agent is kept until
 * the job is delivered, so that a retry neither hides a failure nor counts it twice.
 *
 * @returns `undefined` when the job is not failed, its payment is not open, or it was retried since `attempt`
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
  // The contents are needed again; their deletion is scheduled again when the job ends.
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
