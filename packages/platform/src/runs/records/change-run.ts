import { setTimeout } from 'node:timers/promises'
import type { Database } from '@farebox/server/internal/postgres/connect'
import type { GivenEvent, WrittenRun } from '../../checking/run-messages.ts'
import { Refusal } from '../../http/refusal.ts'
import type { PlatformParts } from '../../platform-parts.ts'
import { refuseUnchecked } from './refuse-unchecked.ts'
import { leaveColumns, leftColumns, valuesOfLeave, type Leave, type LeftRun } from './run-leases.ts'
import { originOf, type RunRow } from './run-row.ts'
import { insertPayments, readRunRow, type SealedRunPayment } from './run-store.ts'
import type { StepOrder } from './sent-jobs.ts'

/** The dependencies of changing runs. */
export type ChangingParts = Pick<PlatformParts, 'database' | 'checker' | 'clock' | 'due'>

/** Events, and the payments that belong to them. */
export interface RunChange {
  readonly events: readonly GivenEvent[]
  readonly payments?: readonly SealedRunPayment[]
  /** The signer of the payments. */
  readonly payer?: string
}

/**
 * The driver of a run, or its payer in two tabs, may change the run at the same time. Each attempt starts from the
 * newest state.
 */
const MOST_TRIES = 20

/**
 * Applies events to a run, and deletes the signatures that are no longer needed, in one transaction. The state is read
 * first, and written only if it has not changed since; otherwise the change is computed again.
 *
 * @param known - the run, if the caller has just read it
 * @returns the changed run
 * @throws {Refusal} `conflict` when an event is not possible and nothing was written; `not_found` when the run no
 * longer exists
 */
export async function changeStoredRun(
  parts: ChangingParts,
  runId: string,
  change: RunChange,
  known?: RunRow,
): Promise<RunRow> {
  let run = known ?? (await readOrRefuse(parts, runId))
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    refuseOtherPayer(run, change)
    const advanced = await advanceStoredRun(parts, run, change.events)
    const written = await writeRun(parts, run, advanced, change)
    if (written !== undefined) return written.run
    if (tries > 2) await setTimeout(Math.random() * 5 * tries)
    run = await readOrRefuse(parts, runId)
  }
  throw new Refusal('unavailable', 'the run is being changed by others all the time: ask again', {
    retryAfterSeconds: 1,
  })
}

/**
 * Applies events to a stored run without writing it.
 *
 * @throws {Refusal} `conflict` when an event is not possible
 */
export async function advanceStoredRun(
  { checker, clock }: Pick<PlatformParts, 'checker' | 'clock'>,
  run: Pick<RunRow, 'runId' | 'payer' | 'startedFrom' | 'flow' | 'input' | 'maxTotal' | 'state'>,
  events: readonly GivenEvent[],
): Promise<WrittenRun> {
  const { flow, input, maxTotal, state } = run
  const given = { stored: { flow, input, maxTotal, state }, events, now: clock.nowMs() / 1_000 }
  const advanced = await checker.run('advance-run', given, `runs of ${originOf(run)}`).catch(refuseUnchecked)
  if (!advanced.ok) throw new Refusal('conflict', advanced.reason)
  return advanced
}

/** Requires that all payments of a run are by one payer, because the payer may read the run. */
function refuseOtherPayer(run: RunRow, { payer }: RunChange): void {
  if (payer === undefined || run.payer === undefined || run.payer === payer) return
  throw new Refusal('conflict', `payments: must be signed by ${run.payer}, who pays for this run already`)
}

async function readOrRefuse({ database }: ChangingParts, runId: string): Promise<RunRow> {
  const run = await readRunRow(database, runId)
  if (run === undefined) throw new Refusal('not_found', 'runId: there is no such run for you')
  return run
}

/** The stored run after a change. */
export interface WrittenRow {
  readonly run: RunRow
  /** Whether the worker that left the run still keeps it. */
  readonly isKept: boolean
  /** The values for the orders of jobs that became ready to be sent, by job id. */
  readonly orders: ReadonlyMap<string, StepOrder>
}

/**
 * Writes a run with the state that {@link advanceStoredRun} computed.
 *
 * @returns undefined when the run has changed since it was read; nothing was written then
 */
export async function writeRun(
  parts: Pick<PlatformParts, 'database' | 'clock' | 'due'>,
  run: RunRow,
  { state, maxTotal, plan, inputs }: WrittenRun,
  { payments = [], payer, leave }: Partial<RunChange> & { readonly leave?: Leave } = {},
): Promise<WrittenRow | undefined> {
  const nowMs = parts.clock.nowMs()
  const isSame = state === run.state && maxTotal === run.maxTotal
  if (isSame && payments.length === 0 && leave === undefined) return { run, orders: new Map(), isKept: false }
  const endedAtMs = plan.isOver ? (run.endedAtMs ?? nowMs) : undefined
  const values = [
    run.runId,
    run.revision,
    state,
    JSON.stringify(plan),
    plan.status,
    plan.paid,
    new Date(nowMs),
    endedAtMs === undefined ? null : new Date(endedAtMs),
    payer ?? null,
    plan.kept,
    inputs.map(({ jobId }) => jobId),
    inputs.map(({ input }) => input),
    maxTotal,
    ...valuesOfLeave(leave),
    // Once the run is over, later news of its jobs does not change it.
    plan.isOver ? null : run.news,
  ]
  const written = await write(parts.database, run, payments, values)
  if (written === undefined) return undefined
  parts.due.changes.publish(run.runId)
  if (written.is_due) parts.due.runs.notify()
  const changed = {
    ...run,
    state,
    maxTotal,
    plan,
    payer: run.payer ?? payer,
    revision: run.revision + 1,
    news: Number(written.news),
    changedAtMs: nowMs,
    endedAtMs,
  }
  const orders = inputs.map(({ jobId, input }): readonly [string, StepOrder] => [
    jobId,
    { input, sealedPayment: written.payments?.[jobId] ?? undefined },
  ])
  return { run: changed, orders: new Map(orders), isKept: written.is_kept }
}

type Written = LeftRun & {
  readonly news: string
  readonly payments: { readonly [jobId: string]: string | null } | null
}

async function write(
  database: Database,
  { runId, revision }: RunRow,
  payments: readonly SealedRunPayment[],
  values: readonly unknown[],
): Promise<Written | undefined> {
  if (payments.length === 0) return (await database.query<Written>('write-run', WRITE, values))[0]
  return await database.inTransaction(async client => {
    // The payments are inserted before the update of the run, which names them as kept.
    const locked = await client.query(LOCK, [runId, revision])
    if (locked.rowCount !== 1) return undefined
    await insertPayments(client, runId, payments)
    const { rows } = await client.query<Written>(WRITE, [...values])
    return rows[0]
  })
}

const LOCK = 'select 1 from runs where run_id = $1 and revision = $2 for update'

const LEAVE = { holder: '$14', dueAt: '$15', keptUntil: '$16', news: '$17' }
const WRITE = `
  with changed as (
    update runs set state = $3, plan = $4, status = $5, paid = $6, changed_at = $7::timestamptz, ended_at = $8::timestamptz,
      payer = coalesce(payer, $9), max_total = $13, revision = revision + 1, news = news + 1,
      ${leaveColumns(LEAVE)},
      started_from = case when $6 = '0' then started_from end
    where run_id = $1 and revision = $2
    returning run_id, news, ${leftColumns(LEAVE.holder)}
  ), wiped as (
    update run_payments set sealed_payment = null
    from changed
    where run_payments.run_id = changed.run_id and sealed_payment is not null and not job_id = any($10::uuid[])
  ), sent as (
    update run_payments set input = one.input
    from changed, unnest($11::uuid[], $12::text[]) as one(job_id, input)
    where run_payments.job_id = one.job_id and run_payments.run_id = changed.run_id
      and run_payments.job_id = any($10::uuid[])
    returning run_payments.job_id, sealed_payment
  )
  select news, is_due, is_kept, (select jsonb_object_agg(job_id, sealed_payment) from sent) as payments from changed`
