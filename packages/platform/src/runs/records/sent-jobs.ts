import type { Database } from '@farebox/server/internal/postgres/connect'
import type { AnswerState, JobState, PaymentStatus } from '../../jobs/records/states.ts'

/** A payment of a run, and the state of its job. */
export interface SentRow {
  readonly jobId: string
  /** Whether the job may still be ordered with this payment. */
  readonly hasPayment: boolean
  readonly givenUp: string | undefined
  /** Undefined when no order was written. */
  readonly job: JobOfRun | undefined
}

/** The state of a job of a run, without its input and output. */
export interface JobOfRun {
  readonly isOfRun: boolean
  readonly state: JobState
  readonly answer: AnswerState
  readonly payment: PaymentStatus
  readonly attempt: number
  readonly errorType: string | undefined
  readonly error: string | undefined
  readonly outputProblem: string | undefined
  readonly chargedWithoutDelivery: boolean
  /** The response of the agent, unchanged, if it was delivered and paid; undefined once it is deleted. */
  readonly delivery: string | undefined
}

interface Columns {
  readonly job_id: string
  readonly has_payment: boolean
  readonly given_up: string | null
  readonly is_of_run: boolean | null
  readonly state: JobState | null
  readonly answer: AnswerState | null
  readonly payment: PaymentStatus | null
  readonly attempt: number | null
  readonly error_type: string | null
  readonly error: string | null
  readonly output_problem: string | null
  readonly charged_without_delivery: boolean | null
  readonly delivery: Buffer | null
}

/** Reads the payments of a run for these jobs, each with its job. */
export async function readSentJobs(
  database: Database,
  runId: string,
  jobIds: readonly string[],
): Promise<ReadonlyMap<string, SentRow>> {
  if (jobIds.length === 0) return new Map()
  const rows = await database.query<Columns>(
    'read-sent-jobs',
    `select p.job_id, p.sealed_payment is not null as has_payment, p.given_up, j.run_id is not distinct from p.run_id as is_of_run, j.state, j.answer,
       j.payment, j.attempt, j.error_type, j.error, j.output_problem, j.charged_without_delivery,
       case when j.answer = 'completed' and j.payment = 'paid' then j.response_body end as delivery
     from run_payments p left join jobs j on j.job_id = p.job_id
     where p.run_id = $1 and p.job_id = any($2::uuid[])`,
    [runId, jobIds],
  )
  return new Map(rows.map(row => [row.job_id, toSentRow(row)]))
}

function toSentRow(row: Columns): SentRow {
  return {
    jobId: row.job_id,
    hasPayment: row.has_payment,
    givenUp: row.given_up ?? undefined,
    job: jobOf(row),
  }
}

function jobOf(row: Columns): JobOfRun | undefined {
  const { state, answer, payment, attempt } = row
  if (state === null || answer === null || payment === null || attempt === null) return undefined
  return {
    isOfRun: row.is_of_run === true,
    state,
    answer,
    payment,
    attempt,
    errorType: row.error_type ?? undefined,
    error: row.error ?? undefined,
    outputProblem: row.output_problem ?? undefined,
    chargedWithoutDelivery: row.charged_without_delivery === true,
    delivery: row.delivery?.toString('utf8'),
  }
}

/** The values from which the order of a run's job is written. */
export interface StepOrder {
  /** The input as JSON; undefined when it was never written. */
  readonly input: string | undefined
  /** Undefined when the payment was used or given up. */
  readonly sealedPayment: string | undefined
}

/** Reads the values for the order of a run's job. */
export async function readStepOrder(database: Database, jobId: string): Promise<StepOrder> {
  const [row] = await database.query<{ input: string | null; sealed_payment: string | null }>(
    'read-step-order',
    'select input, sealed_payment from run_payments where job_id = $1',
    [jobId],
  )
  return { input: row?.input ?? undefined, sealedPayment: row?.sealed_payment ?? undefined }
}

/**
 * Gives up a payment before its order is written, so that none can be written any more. When an order was already
 * written, nothing is changed.
 */
export async function giveUp(database: Database, jobId: string, reason: string): Promise<void> {
  await database.inTransaction(async client => {
    // A process that is writing the order holds a lock on this row until it is done, so the next statement sees the
    // order.
    await client.query('select 1 from run_payments where job_id = $1 for update', [jobId])
    await client.query(
      `update run_payments set sealed_payment = null, given_up = coalesce(given_up, $2)
       where job_id = $1 and not exists (select from jobs where jobs.job_id = $1)`,
      [jobId, reason],
    )
  })
}
