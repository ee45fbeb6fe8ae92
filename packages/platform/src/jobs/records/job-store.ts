import { storeTrace } from '@farebox/protocol/internal/trace/traceparent'
import type { Database } from '@farebox/server/internal/postgres/connect'
import { JOB_COLUMNS, toJobRow, type JobColumns, type JobKind, type JobRow } from './job-row.ts'

/** A job to be stored and sent. */
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
  | 'trace'
> {
  readonly kind: JobKind
  /** The run of a flow that orders it; absent when no run does. */
  readonly runId?: string | undefined
  readonly requestBody: string
  readonly sealedPayment: string
  readonly tokenHashes: readonly string[]
}

/**
 * Stores a job, due at once. Resolves to `undefined`, without changes, when a job with this job_id or this payment exists.
 */
export async function insertJob(database: Database, job: NewJob, nowMs: number): Promise<JobRow | undefined> {
  const text = `${INSERT_JOBS} select ${NEW_JOB_VALUES}, null, null, null from ${NEW_JOBS} on conflict do nothing
    returning 1 as one`
  const rows = await database.query('insert-job', text, valuesOfNewJobs([job], nowMs))
  return rows.length === 0 ? undefined : newJobRow(job, nowMs)
}

/** The columns of {@link NEW_JOB_VALUES}, followed by the address it came from and its lease. */
export const INSERT_JOBS = `
  insert into jobs (job_id, agent_id, capability, kind, payer, amount_atomic, state, created_at, expires_at,
    input_hash, endpoint, max_deadline_seconds, deadline, request_body, sealed_payment, network, asset, pay_to,
    nonce, valid_after, valid_before, token_hashes, next_look_at, run_id, traceparent, ordered_from, lease_until, lease_holder)`

/** The values of a new job, from a row of {@link NEW_JOBS}. */
export const NEW_JOB_VALUES = `job.job_id, agent_id, capability, kind, payer, amount_atomic, 'sent', $1::timestamptz, expires_at,
  input_hash, endpoint, max_deadline_seconds, deadline, request_body, sealed_payment, network, asset, pay_to, nonce,
  valid_after, valid_before, string_to_array(token_hashes, ','), $1::timestamptz, run_id, traceparent`

/** The types, by column name, of the parameters that {@link valuesOfNewJobs} returns after the time. */
const COLUMN_TYPES = {
  job_id: 'uuid',
  agent_id: 'bigint',
  capability: 'text',
  kind: 'text',
  payer: 'text',
  amount_atomic: 'bigint',
  expires_at: 'timestamptz',
  input_hash: 'text',
  endpoint: 'text',
  max_deadline_seconds: 'float8',
  deadline: 'float8',
  request_body: 'bytea',
  sealed_payment: 'text',
  network: 'text',
  asset: 'text',
  pay_to: 'text',
  nonce: 'text',
  valid_after: 'bigint',
  valid_before: 'bigint',
  token_hashes: 'text',
  run_id: 'uuid',
  traceparent: 'text',
} as const
const COLUMNS = Object.entries(COLUMN_TYPES)

/** The number of parameters that {@link NEW_JOBS} uses; they are the first ones of the statement. */
export const NEW_JOBS_PARAMETERS = COLUMNS.length + 1

/** The parameter with the ids of the new jobs. */
export const NEW_JOB_IDS = '$2::uuid[]'

/** The new jobs as a table `job` with named columns. */
export const NEW_JOBS = `unnest(${COLUMNS.map(([, type], index) => `$${index + 2}::${type}[]`).join(', ')})
  as job(${COLUMNS.map(([name]) => name).join(', ')})`

/** The parameter values of {@link NEW_JOBS}. */
export function valuesOfNewJobs(jobs: readonly NewJob[], nowMs: number): readonly unknown[] {
  const rows = jobs.map((job): { readonly [name in keyof typeof COLUMN_TYPES]: unknown } => ({
    job_id: job.jobId,
    agent_id: job.agentId,
    capability: job.capability,
    kind: job.kind,
    payer: job.payer,
    amount_atomic: job.amountAtomic,
    expires_at: new Date(expiryOf(job, nowMs)),
    input_hash: job.inputHash,
    endpoint: job.endpoint,
    max_deadline_seconds: job.maxDeadlineSeconds,
    deadline: job.deadline,
    request_body: Buffer.from(job.requestBody, 'utf8'),
    sealed_payment: job.sealedPayment,
    network: job.network,
    asset: job.asset,
    pay_to: job.payTo,
    nonce: job.authorization.nonce,
    valid_after: job.authorization.validAfter,
    valid_before: job.authorization.validBefore,
    token_hashes: job.tokenHashes.join(','),
    run_id: job.runId ?? null,
    traceparent: job.trace === undefined ? null : storeTrace(job.trace),
  }))
  const names = Object.keys(COLUMN_TYPES) as (keyof typeof COLUMN_TYPES)[]
  return [new Date(nowMs), ...names.map(name => rows.map(row => row[name]))]
}

function expiryOf({ maxDeadlineSeconds }: NewJob, nowMs: number): number {
  return Math.trunc(nowMs + maxDeadlineSeconds * 1_000)
}

/** The row of a job that was just stored with {@link valuesOfNewJobs}. */
export function newJobRow(job: NewJob, nowMs: number): JobRow {
  const { tokenHashes, runId, ...given } = job
  return {
    ...given,
    runId,
    tokenHashes,
    state: 'sent',
    hasExpired: false,
    answer: 'none',
    payment: 'open',
    askingOver: false,
    errorType: undefined,
    error: undefined,
    createdAtMs: nowMs,
    attempt: 1,
    orderedAtMs: nowMs,
    keepsInput: false,
    expiresAtMs: expiryOf(job, nowMs),
    finishedAtMs: undefined,
    elapsedMs: undefined,
    paidAtMs: undefined,
    transaction: undefined,
    blockNumber: undefined,
    responseBody: undefined,
    agentName: undefined,
    outputHash: undefined,
    outputProblem: undefined,
    completedAt: undefined,
    chargedWithoutDelivery: false,
    contentsDeletedAtMs: undefined,
    receipt: undefined,
    nextDueAtMs: nowMs,
    sendings: 0,
    foreignAnswers: 0,
    firstAskedAtMs: undefined,
    hadFairTime: false,
    hasLeft: false,
    isPutOff: false,
    fault: undefined,
  }
}

/** Reads a job of any payer, with its input, output and agent's name; `undefined` when there is none. */
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

/** Reads a job without its input and output, for callers that poll it. */
export async function readBareJob(database: Database, jobId: string): Promise<JobRow | undefined> {
  const [row] = await database.query<JobColumns>(
    'read-bare-job',
    `select ${JOB_COLUMNS} from jobs where job_id = $1 and nonce is not null`,
    [jobId],
  )
  return row && toJobRow(row)
}

/** The bytes that a job is sent with each time (D8); `undefined` once its contents are deleted. */
export async function readRequest(database: Database, jobId: string): Promise<string | undefined> {
  const [row] = await database.query<{ request_body: Buffer | null }>(
    'read-job-request',
    'select request_body from jobs where job_id = $1',
    [jobId],
  )
  return row?.request_body?.toString('utf8')
}

/**
 * Marks overdue jobs without an answer as expired (D35). The agent is still asked, and the payment still watched.
 *
 * @returns the number of jobs
 */
export async function expireOverdue(database: Database, nowMs: number): Promise<number> {
  const rows = await database.query(
    'expire-overdue-jobs',
    `update jobs set state = 'expired' where state = 'sent' and expires_at <= $1 returning 1 as one`,
    [new Date(nowMs)],
  )
  return rows.length
}
