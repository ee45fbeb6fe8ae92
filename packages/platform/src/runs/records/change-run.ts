import { setTimeout } from 'node:timers/promises'
import type { GivenEvent, WrittenRun } from '../../checking/run-messages.ts'
import { Refusal } from '../../http/refusal.ts'
import type { PlatformParts } from '../../platform-parts.ts'
import { refuseUnchecked } from './refuse-unchecked.ts'
import type { RunRow } from './run-row.ts'
import { insertPayments, readRun, type SealedRunPayment } from './run-store.ts'

/** What changing runs takes. */
export type ChangingParts = Pick<PlatformParts, 'database' | 'checker' | 'clock' | 'due'>

/** What is brought together with events. */
export interface RunChange {
  readonly events: readonly GivenEvent[]
  readonly payments?: readonly SealedRunPayment[]
  /** Who signed them. */
  readonly payer?: string
}

/** Others may be at the same run: the driver, its payer in two tabs. Each try has what the ones before wrote. */
const MOST_TRIES = 20

/**
 * Changes a run by what has happened, and deletes the signatures that are of no more use, in one transaction. The state is
 * read first, and written only where nobody has changed it since; otherwise all is worked out anew.
 *
 * @param known the run as it was read, where somebody has just read it
 * @returns the run as it is then
 * @throws {Refusal} `conflict` where an event cannot be; nothing was written then. `not_found` where the run is gone
 */
export async function changeRun(
  parts: ChangingParts,
  runId: string,
  change: RunChange,
  known?: RunRow,
): Promise<RunRow> {
  let run = known ?? (await readOrRefuse(parts, runId))
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    refuseOtherPayer(run, change)
    const now = parts.clock.nowMs() / 1_000
    const given = { stored: storedOf(run), events: change.events, now }
    const advanced = await parts.checker.run('advance-run', given, `run ${runId}`).catch(refuseUnchecked)
    if (!advanced.ok) throw new Refusal('conflict', advanced.reason)
    const written = await write(parts, run, advanced, change)
    if (written !== undefined) return written
    if (tries > 2) await setTimeout(Math.random() * 5 * tries)
    run = await readOrRefuse(parts, runId)
  }
  throw new Refusal('unavailable', 'the run is being changed by others all the time: ask again', {
    retryAfterSeconds: 1,
  })
}

function storedOf({ flow, input, maxTotal, state }: RunRow): {
  readonly flow: string
  readonly input: string
  readonly maxTotal: string
  readonly state: string
} {
  return { flow, input, maxTotal, state }
}

/** All payments of a run are by one payer, who may then see it. */
function refuseOtherPayer(run: RunRow, { payer }: RunChange): void {
  if (payer === undefined || run.payer === undefined || run.payer === payer) return
  throw new Refusal('conflict', `payments: must be signed by ${run.payer}, who pays for this run already`)
}

async function readOrRefuse({ database }: ChangingParts, runId: string): Promise<RunRow> {
  const run = await readRun(database, runId)
  if (run === undefined) throw new Refusal('not_found', 'runId: there is no such run for you')
  return run
}

async function write(
  parts: ChangingParts,
  run: RunRow,
  { state, maxTotal, plan, inputs }: WrittenRun,
  { payments = [], payer }: RunChange,
): Promise<RunRow | undefined> {
  const nowMs = parts.clock.nowMs()
  if (state === run.state && maxTotal === run.maxTotal && payments.length === 0) return run
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
  ]
  const news = await parts.database.inTransaction(async client => {
    // Before the run is written, which names them as kept.
    const changed = await client.query<{ news: string }>(LOCK, [run.runId, run.revision])
    if (changed.rows[0] === undefined) return undefined
    await insertPayments(client, run.runId, payments)
    const { rows } = await client.query<{ news: string }>(WRITE, values)
    return rows[0]?.news
  })
  if (news === undefined) return undefined
  parts.due.runs.notify()
  return {
    ...run,
    state,
    maxTotal,
    plan,
    payer: run.payer ?? payer,
    revision: run.revision + 1,
    news: Number(news),
    changedAtMs: nowMs,
    endedAtMs,
  }
}

const LOCK = 'select news from runs where run_id = $1 and revision = $2 for update'

const WRITE = `
  with changed as (
    update runs set state = $3, plan = $4, status = $5, paid = $6, changed_at = $7, ended_at = $8,
      payer = coalesce(payer, $9), max_total = $13, revision = revision + 1, news = news + 1, due_at = '-infinity',
      started_from = case when $6 = '0' then started_from end
    where run_id = $1 and revision = $2
    returning news
  ), wiped as (
    update run_payments set sealed_payment = null
    where run_id = $1 and sealed_payment is not null and not job_id = any($10::uuid[])
  ), sent as (
    update run_payments set input = one.input
    from unnest($11::uuid[], $12::text[]) as one(job_id, input)
    where run_payments.job_id = one.job_id and run_payments.run_id = $1
      and run_payments.job_id = any($10::uuid[])
  )
  select news from changed`
