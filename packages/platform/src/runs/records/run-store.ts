import type { Database } from '@farebox/server/internal/postgres/connect'
import { storeTrace, type Trace } from '@farebox/protocol/internal/trace/traceparent'
import type pg from 'pg'
import { Refusal } from '../../http/refusal.ts'
import type { WrittenRun } from '../../checking/run-messages.ts'
import { RUN_COLUMNS, toRunRow, type RunColumns, type RunRow } from './run-row.ts'

/** The encrypted payment for a job of a run. */
export interface SealedRunPayment {
  readonly jobId: string
  readonly key: string
  readonly sealed: string
}

/** A run that is about to begin. */
export interface NewRun extends Pick<WrittenRun, 'state' | 'plan'> {
  readonly runId: string
  /** SHA-256 of its token. */
  readonly tokenHash: Buffer
  /** Hash of the request that started it. */
  readonly requestHash: string
  readonly payer: string | undefined
  readonly flowId: string | undefined
  readonly name: string
  readonly trace: Trace
  readonly flow: string
  readonly input: string
  readonly maxTotal: string
  readonly payments: readonly SealedRunPayment[]
  /** Salted hash of the address it was started from. */
  readonly startedFrom: string
  /** Whether its caller is signed in. */
  readonly hasAccount: boolean
}

/**
 * Inserts a run with its payments, due at once.
 *
 * @returns false when a run with this id already exists; nothing was written then
 * @throws {Refusal} as {@link insertPayments}
 */
export async function insertRun(client: pg.PoolClient, run: NewRun, nowMs: number): Promise<boolean> {
  const { rowCount } = await client.query(
    `insert into runs (run_id, token_hash, started_from, payer, flow_id, name, flow, input, max_total, state, plan, status,
       paid, created_at, changed_at, due_at, ended_at, request_hash, has_account, traceparent)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $14, '-infinity', $15, $16, $17, $18)
     on conflict do nothing`,
    [
      run.runId,
      run.tokenHash,
      run.startedFrom,
      run.payer ?? null,
      run.flowId ?? null,
      run.name,
      run.flow,
      run.input,
      run.maxTotal,
      run.state,
      JSON.stringify(run.plan),
      run.plan.status,
      run.plan.paid,
      new Date(nowMs),
      run.plan.isOver ? new Date(nowMs) : null,
      run.requestHash,
      run.hasAccount,
      storeTrace(run.trace),
    ],
  )
  if (rowCount !== 1) return false
  await insertPayments(client, run.runId, run.payments)
  return true
}

/**
 * Inserts the payments of a run; a payment that it already has is not changed.
 *
 * @throws {Refusal} `conflict` when a job_id is in use for another payment, another run, or another order of the payer
 */
export async function insertPayments(
  client: pg.PoolClient,
  runId: string,
  payments: readonly SealedRunPayment[],
): Promise<void> {
  if (payments.length === 0) return
  const [ids, keys] = [payments.map(({ jobId }) => jobId), payments.map(({ key }) => key)]
  await client.query(
    `insert into run_payments (run_id, job_id, key, sealed_payment)
     select $1, * from unnest($2::uuid[], $3::text[], $4::text[])
     on conflict (job_id) do nothing`,
    [runId, ids, keys, payments.map(({ sealed }) => sealed)],
  )
  const { rows } = await client.query<{ in_use: string | null }>(
    `select min(given.key) as in_use
     from unnest($2::uuid[], $3::text[]) as given(job_id, key)
     left join run_payments on run_payments.job_id = given.job_id
       and run_payments.run_id = $1 and run_payments.key = given.key
     left join jobs on jobs.job_id = given.job_id
     where run_payments.job_id is null or (jobs.job_id is not null and jobs.run_id is distinct from $1)`,
    [runId, ids, keys],
  )
  const inUse = rows[0]?.in_use
  if (inUse !== null && inUse !== undefined)
    throw new Refusal(
      'conflict',
      `payments: ${inUse}: its job_id is in use for another order: make a new one`,
    )
}

/** Reads a run by its id, for any payer. */
export async function readRunRow(database: Database, runId: string): Promise<RunRow | undefined> {
  const [row] = await database.query<RunColumns>(
    'read-run',
    `select ${RUN_COLUMNS} from runs where run_id = $1`,
    [runId],
  )
  return row && toRunRow(row)
}

/** The hashes of a run's token and of the request that started it; undefined when there is no such run. */
export async function readRunHashes(
  database: Database,
  runId: string,
): Promise<Pick<NewRun, 'tokenHash' | 'requestHash'> | undefined> {
  const [row] = await database.query<{ token_hash: Buffer; request_hash: string }>(
    'read-run-hashes',
    'select token_hash, request_hash from runs where run_id = $1',
    [runId],
  )
  return row && { tokenHash: row.token_hash, requestHash: row.request_hash }
}
