import type { Database } from '@farebox/server/internal/postgres/connect'
import { JOB_COLUMNS, toJobRow, type JobColumns, type JobRow } from './job-row.ts'
import { stateOf } from './states.ts'

/** The fields of a stored job that may change. */
export interface JobChanges extends Partial<
  Pick<
    JobRow,
    | 'answer'
    | 'payment'
    | 'askingOver'
    | 'errorType'
    | 'error'
    | 'elapsedMs'
    | 'paidAtMs'
    | 'transaction'
    | 'blockNumber'
    | 'outputHash'
    | 'outputProblem'
    | 'completedAt'
    | 'sendings'
    | 'foreignAnswers'
    | 'firstAskedAtMs'
    | 'hadFairTime'
    | 'hasLeft'
    | 'isPutOff'
    | 'fault'
  >
> {
  readonly responseBody?: string
  readonly responseStatus?: number
  readonly responseHeaders?: { readonly [name: string]: string }
}

/**
 * Changes a job under a row lock, so that conclusions from its state are still true when they are written. The state and
 * the values derived from it are computed only here.
 *
 * @param which when it names an attempt and the job was retried since, nothing is changed
 * @param change computes the changes from the job's current state
 */
export async function changeJob(
  database: Database,
  which: { readonly jobId: string; readonly attempt?: number },
  nowMs: number,
  change: (job: JobRow) => JobChanges,
): Promise<JobRow> {
  const { jobId, attempt } = which
  return await database.inTransaction(async client => {
    const found = await client.query<JobColumns>(
      `select ${JOB_COLUMNS} from jobs where job_id = $1 for update`,
      [jobId],
    )
    const [columns] = found.rows
    if (columns === undefined) throw new Error(`job ${jobId} is gone`)
    const job = toJobRow(columns)
    if (attempt !== undefined && attempt !== job.attempt) return job
    const changes = change(job)
    const changed = await client.query<JobColumns>(
      `${CHANGE} where job_id = $1 returning ${JOB_COLUMNS}`,
      valuesOf(job, changes, nowMs),
    )
    const [row] = changed.rows
    if (row === undefined) throw new Error(`job ${jobId} is gone`)
    return toJobRow(row)
  })
}

/**
 * Changes a job for the last time and releases it, in one statement: no work is left, and its payment is used.
 *
 * @param job as it was when `holder` leased it
 * @returns `undefined` when the job has changed since; nothing is written in that case
 */
export async function concludeJob(
  database: Database,
  job: JobRow,
  {
    holder,
    nowMs,
    changes,
  }: { readonly holder: string; readonly nowMs: number; readonly changes: JobChanges },
): Promise<JobRow | undefined> {
  const all = { ...changes, askingOver: true }
  const rows = await database.query(
    'conclude-job',
    `${CHANGE}, lease_until = null, lease_holder = null, next_look_at = null, sends = false, sealed_payment = null
     where job_id = $1 and lease_holder = $28 and attempt = $29 and state = $30 and answer = $31 and payment = $32
       and not asking_over and contents_deleted_at is null
     returning 1 as one`,
    [...valuesOf(job, all, nowMs), holder, job.attempt, job.state, job.answer, job.payment],
  )
  return rows.length === 0
    ? undefined
    : { ...job, ...all, ...conclude(job, all, nowMs), sealedPayment: undefined }
}

const CHANGE = `
  update jobs set state = $2, answer = $3, payment = $4, asking_over = $5, error_type = $6, error = $7,
    finished_at = $8, paid_at = $9, transaction = $10, response_body = coalesce($11, response_body),
    output_hash = $12, output_problem = $13, completed_at = $14, sendings = $15, foreign_answers = $16,
    charged_without_delivery = $17, elapsed_ms = $18, response_status = coalesce($19, response_status),
    response_headers = coalesce($20, response_headers), has_expired = $21, first_asked_at = $22,
    had_fair_time = $23, has_left = $24, put_off = $25, fault = $26, block_number = $27,
    ordered_from = case when $4 = 'paid' then null else ordered_from end`

/** The values derived from the changes of a job. */
function conclude(
  before: JobRow,
  changes: JobChanges,
  nowMs: number,
): Pick<JobRow, 'state' | 'hasExpired' | 'finishedAtMs' | 'chargedWithoutDelivery' | 'fault'> {
  const job = { ...before, ...changes }
  const { answer, payment } = job
  const isOverdue = nowMs >= job.expiresAtMs
  const hasExpired = before.hasExpired || before.state === 'expired'
  const state = stateOf({ answer, payment, isOverdue, hasExpired })
  const endedAtMs = state === 'completed' || state === 'failed' ? nowMs : undefined
  const isDelivered = answer === 'completed' && job.outputProblem === undefined
  const chargedWithoutDelivery =
    payment === 'paid' && !isDelivered && (job.askingOver || answer === 'completed')
  return {
    state,
    hasExpired,
    finishedAtMs: state === before.state ? before.finishedAtMs : endedAtMs,
    chargedWithoutDelivery,
    // A job that was delivered after all has no fault.
    fault: state === 'completed' && !chargedWithoutDelivery ? undefined : job.fault,
  }
}

function valuesOf(before: JobRow, changes: JobChanges, nowMs: number): unknown[] {
  const job = { ...before, ...changes, ...conclude(before, changes, nowMs) }
  return [
    job.jobId,
    job.state,
    job.answer,
    job.payment,
    job.askingOver,
    job.errorType,
    job.error,
    dateOf(job.finishedAtMs),
    dateOf(job.paidAtMs),
    job.transaction,
    changes.responseBody === undefined ? null : Buffer.from(changes.responseBody, 'utf8'),
    job.outputHash,
    job.outputProblem,
    job.completedAt,
    job.sendings,
    job.foreignAnswers,
    job.chargedWithoutDelivery,
    job.elapsedMs === undefined ? null : Math.min(job.elapsedMs, MAX_INTEGER),
    changes.responseStatus ?? null,
    changes.responseHeaders === undefined ? null : JSON.stringify(changes.responseHeaders),
    job.hasExpired,
    dateOf(job.firstAskedAtMs),
    job.hadFairTime,
    job.hasLeft,
    job.isPutOff,
    job.fault ?? null,
    job.blockNumber ?? null,
  ]
}

/** The largest value of the column `elapsed_ms`. */
const MAX_INTEGER = 2 ** 31 - 1

function dateOf(ms: number | undefined): Date | null {
  return ms === undefined ? null : new Date(ms)
}
