import type { Database } from '@farebox/server/internal/postgres/connect'
import type pg from 'pg'
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
  const [row] = await database.query<JobColumns>('insert-job', INSERT_JOB, valuesOf(job, nowMs))
  return row && toJobRow(row)
}

/** {@link insertJob} within a transaction. `orderedFrom`: where it came from, as a salted hash. */
export async function insertJobIn(
  client: pg.PoolClient,
  job: NewJob,
  { nowMs, orderedFrom }: { readonly nowMs: number; readonly orderedFrom: string },
): Promise<JobRow | undefined> {
  const { rows } = await client.query<JobColumns>(INSERT_JOB, [...valuesOf(job, nowMs, orderedFrom)])
  return rows[0] && toJobRow(rows[0])
}

const INSERT_JOB = `
  insert into jobs (job_id, agent_id, capability, kind, payer, amount_atomic, state, created_at, expires_at,
    input_hash, endpoint, max_deadline_seconds, deadline, request_body, sealed_payment, network, asset, pay_to,
    nonce, valid_after, valid_before, token_hashes, next_look_at, ordered_from, run_id)
  values ($1, $2, $3, $4, $5, $6, 'sent', $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $7, $22, $23)
  on conflict do nothing
  returning ${JOB_COLUMNS}`

function valuesOf(job: NewJob, nowMs: number, orderedFrom?: string): readonly unknown[] {
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
    orderedFrom ?? null,
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

/** How many jobs of a payer, and of an agent, have no outcome yet. */
export async function countOpenJobs(
  database: Database,
  payer: string,
  agentId: number,
): Promise<{ readonly ofPayer: number; readonly ofAgent: number }> {
  const [row] = await database.query<{ of_payer: number; of_agent: number }>(
    'count-open-jobs',
    `select (select count(*)::int from jobs where payer = $1 and state in ('sent', 'pending')) as of_payer,
       (select count(*)::int from jobs where agent_id = $2 and state in ('sent', 'pending')) as of_agent`,
    [payer, agentId],
  )
  return { ofPayer: row?.of_payer ?? 0, ofAgent: row?.of_agent ?? 0 }
}
