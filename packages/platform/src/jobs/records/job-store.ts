import type { Database } from '@farebox/server/internal/postgres/connect'
import { JOB_COLUMNS, toJobRow, type JobColumns, type JobKind, type JobRow } from './job-row.ts'

/** A job that is about to be sent. */
export interface NewJob extends Pick<
  JobRow,
  | 'jobId'
  | 'agentId'
  | 'capability'
  | 'payer'
  | 'payTo'
  | 'amountAtomic'
  | 'network'
  | 'asset'
  | 'authorization'
  | 'endpoint'
  | 'maxDeadlineSeconds'
  | 'deadline'
  | 'inputHash'
> {
  readonly kind: JobKind
  /** The run of a flow that orders it; absent: none does. */
  readonly runId?: string | undefined
  readonly requestBody: string
  readonly sealedPayment: string
  readonly tokenHashes: readonly string[]
}

/**
 * Writes a job down, due at once. Undefined where there is one of this job_id, or one that this payment pays for,
 * already: nothing is changed then.
 */
export async function insertJob(database: Database, job: NewJob, nowMs: number): Promise<JobRow | undefined> {
  const text = `${INSERT_JOB} values (${JOB_VALUES}, null, null, null) on conflict do nothing returning ${JOB_COLUMNS}`
  const [row] = await database.query<JobColumns>('insert-job', text, valuesOfNewJob(job, nowMs))
  return row && toJobRow(row)
}

/** The columns of {@link JOB_VALUES}, then where it came from, and who has it until when. */
export const INSERT_JOB = `
  insert into jobs (job_id, agent_id, capability, kind, payer, amount_atomic, state, created_at, expires_at,
    input_hash, endpoint, max_deadline_seconds, deadline, request_body, sealed_payment, network, asset, pay_to,
    nonce, valid_after, valid_before, token_hashes, next_look_at, run_id, ordered_from, lease_until, lease_holder)`

/** The first parameters of a statement, as {@link valuesOfNewJob} gives them. */
export const JOB_VALUES = `$1::uuid, $2::bigint, $3, $4, $5, $6::bigint, 'sent', $7::timestamptz, $8::timestamptz, $9, $10,
  $11::float8, $12::float8, $13::bytea, $14, $15, $16, $17, $18, $19::bigint, $20::bigint, $21::text[], $7::timestamptz,
  $22::uuid`

/** Which of them is which, for statements that use one a second time. */
export const NEW_JOB_PARAMETERS = {
  JOB_ID: '$1',
  AGENT: '$2',
  PAYER: '$5',
  AMOUNT: '$6',
  BODY: '$13',
  RUN: '$22',
  COUNT: 22,
} as const

/** What {@link JOB_VALUES} stands for. */
export function valuesOfNewJob(job: NewJob, nowMs: number): readonly unknown[] {
  const { authorization, maxDeadlineSeconds } = job
  return [
    job.jobId,
    job.agentId,
    job.capability,
    job.kind,
    job.payer,
    job.amountAtomic,
    new Date(nowMs),
    new Date(nowMs + maxDeadlineSeconds * 1_000),
    job.inputHash,
    job.endpoint,
    maxDeadlineSeconds,
    job.deadline,
    Buffer.from(job.requestBody, 'utf8'),
    job.sealedPayment,
    job.network,
    job.asset,
    job.payTo,
    authorization.nonce,
    authorization.validAfter,
    authorization.validBefore,
    job.tokenHashes,
    job.runId ?? null,
  ]
}

/** The job of this id, whoever's it is, with what was asked and delivered, and its agent's name. */
export async function readJob(database: Database, jobId: string): Promise<JobRow | undefined> {
  const [row] = await database.query<JobColumns>(
    'read-job',
    `select ${JOB_COLUMNS}, request_body, case when answer = 'completed' then response_body end as response_body,
       (select name from agents where agents.agent_id = jobs.agent_id) as agent_name
     from jobs where job_id = $1 and nonce is not null`,
    [jobId],
  )
  return row && toJobRow(row)
}

/** How the job of this id stands, without what was asked and delivered: for those who look again and again. */
export async function readBareJob(database: Database, jobId: string): Promise<JobRow | undefined> {
  const [row] = await database.query<JobColumns>(
    'read-bare-job',
    `select ${JOB_COLUMNS} from jobs where job_id = $1 and nonce is not null`,
    [jobId],
  )
  return row && toJobRow(row)
}

/** The bytes that a job is sent with, again and again (D8); undefined once its contents are deleted. */
export async function readRequest(database: Database, jobId: string): Promise<string | undefined> {
  const [row] = await database.query<{ request_body: Buffer | null }>(
    'read-job-request',
    'select request_body from jobs where job_id = $1',
    [jobId],
  )
  return row?.request_body?.toString('utf8')
}

/**
 * Says that the time is over for those that have no answer by now (D35). They are asked for and watched as before.
 *
 * @returns how many
 */
export async function expireOverdue(database: Database, nowMs: number): Promise<number> {
  const rows = await database.query(
    'expire-overdue-jobs',
    `update jobs set state = 'expired' where state = 'sent' and expires_at <= $1 returning 1 as one`,
    [new Date(nowMs)],
  )
  return rows.length
}
