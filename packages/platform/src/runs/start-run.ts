import { randomUUID } from 'node:crypto'
import type { Flow } from '@farebox/flows/document/flow'
import { MAX_UNORDERED_CHARACTERS } from '@farebox/flows/internal/document/flow-limits'
import type { runRequest } from '@farebox/platform-api/flows/runs'
import { hashJson } from '@farebox/platform-api/receipt'
import type { JsonObject } from '@farebox/protocol/fields/field'
import type pg from 'pg'
import type { z } from 'zod'
import type { RunBegun } from '../checking/run-messages.ts'
import { readCatalog } from '../flows/read-catalog.ts'
import { callerKey } from '../http/caller-key.ts'
import type { Caller } from '../http/route.ts'
import { inLoopTurn } from '../http/loop-turns.ts'
import { Refusal } from '../http/refusal.ts'
import { createSlots } from '../outbound/slots.ts'
import type { PlatformParts } from '../platform-parts.ts'
import { createWritePace, takeChange, type WritePace } from './records/write-pace.ts'
import { hashRunToken, makeRunToken, opensRun } from './authorize-run.ts'
import { refuseBadMaxTotal, readRunPayments, type PaymentMeans } from './pay/read-payments.ts'
import { refuseUnchecked } from './records/refuse-unchecked.ts'
import { sizeOfRun, type RunRow } from './records/run-row.ts'
import { insertRun, readRunRow, readRunHashes, type NewRun } from './records/run-store.ts'

/** The request for a run, as it travels. */
export type GivenRun = z.output<typeof runRequest>

/** A run that is written down. */
interface StartedRun {
  readonly run: RunRow
  /** Undefined where the caller made it, or the run was started before. */
  readonly token: string | undefined
}

/** Starts a run for a caller. */
export type StartRun = (given: GivenRun, caller: Caller, signal: AbortSignal) => Promise<StartedRun>

/** Runs without a payment, in number and in the characters that they may come to, from one address. */
const MAX_UNPAID_CHARACTERS = 256 * 1_048_576
const MAX_UNPAID_RUNS = 5_000
/** A run may have so many times its size before anything of it is ordered: see `MAX_UNORDERED_CHARACTERS`. */
const TIMES_GIVEN = 3
/** At a time from one address; the others wait. */
const STARTS_AT_ONCE = 8

/**
 * Makes what starts runs in one process: checks the flow against what its agents are now, the input, and the payments that
 * come with it, and writes all down at once. Nothing is ordered before that. The same request again, with its run_id and
 * its token, is the same run; another one with them is refused.
 *
 * @throws {Refusal} with a sentence for the caller; then nothing was written
 */
export function createStartRun(parts: PlatformParts, means: PaymentMeans): StartRun {
  const turns = createSlots(STARTS_AT_ONCE)
  const pace = createWritePace(() => parts.clock.nowMs())
  return async (given, caller, signal) => {
    const from = callerKey(caller.ip)
    const leave = await turns.take(from, signal)
    try {
      return await start(parts, means, given, { from, hasAccount: caller.kind === 'owner', pace })
    } finally {
      leave()
    }
  }
}

async function start(
  parts: PlatformParts,
  means: PaymentMeans,
  given: GivenRun,
  {
    from,
    hasAccount,
    pace,
  }: { readonly from: string; readonly hasAccount: boolean; readonly pace: WritePace },
): Promise<StartedRun> {
  const runId = (given.run_id ?? randomUUID()).toLowerCase()
  const token = given.run_token ?? makeRunToken()
  const requestHash = await hashRequest(given)
  const known = await findStarted(parts, runId, token, requestHash)
  if (known !== undefined) return known
  means.take(from, given.payments.length)
  refuseBadMaxTotal(given.max_total)
  // Its shape was checked at the door.
  const flow = given.flow as Flow
  const owner = `runs of ${from}`
  await refuseBroken(parts, flow, owner)
  const payments = await readRunPayments(parts, means, flow, given.payments)
  const begun = await begin(parts, given, payments.brought, owner)
  const { input, state, plan } = begun
  const run: NewRun = {
    runId,
    tokenHash: hashRunToken(token),
    requestHash,
    payer: payments.payer,
    flowId: given.flow_id?.toLowerCase(),
    name: flow.name,
    flow: JSON.stringify(flow),
    input,
    maxTotal: given.max_total,
    state,
    plan,
    // Those of steps that are left out already are not kept.
    payments: payments.sealed.filter(({ jobId }) => plan.kept.includes(jobId)),
    startedFrom: '',
    hasAccount,
  }
  // A caller who starts, deletes and starts again has the run written each time.
  if (payments.payer === undefined) takeChange(pace, parts.clock.nowMs(), from, sizeOfRun(run))
  const isNew = await parts.database.inTransaction(async client => {
    const startedFrom = await admit(client, from, run)
    return await insertRun(client, { ...run, startedFrom }, parts.clock.nowMs())
  })
  parts.due.runs.notify()
  const written = isNew ? await readRunRow(parts.database, runId) : undefined
  if (written !== undefined) return { run: written, token: given.run_token === undefined ? token : undefined }
  const twin = await findStarted(parts, runId, token, requestHash)
  if (twin === undefined) throw new Refusal('conflict', 'run_id: is in use for another run')
  return twin
}

/** Payments are left out: the run keeps those that it was started with, and takes no others by a repeat. */
async function hashRequest({ flow, flow_id: id, input, max_total }: GivenRun): Promise<string> {
  // The request came as JSON.
  const asked = { flow: flow as unknown as JsonObject, flow_id: id?.toLowerCase() ?? null, input, max_total }
  return await inLoopTurn(asked, () => hashJson(asked))
}

async function findStarted(
  { database }: PlatformParts,
  runId: string,
  token: string,
  requestHash: string,
): Promise<StartedRun | undefined> {
  const hashes = await readRunHashes(database, runId)
  if (hashes === undefined) return undefined
  const run = opensRun(hashes, token) ? await readRunRow(database, runId) : undefined
  if (run === undefined || hashes.requestHash !== requestHash)
    throw new Refusal('conflict', 'run_id: is in use for another run')
  return { run, token: undefined }
}

/** A flow with errors cannot be run: the check says what they are, and how to fix them. */
async function refuseBroken(parts: PlatformParts, flow: Flow, owner: string): Promise<void> {
  const capabilities = await readCatalog(parts.database, flow)
  const result = await parts.checker.run('flow', { flow, capabilities }, owner).catch(refuseUnchecked)
  if (!result.ok) throw new Refusal('validation', `flow: ${result.reason}`)
  const error = result.checked.findings.find(({ severity }) => severity === 'error')
  if (error === undefined) return
  const step = error.step === undefined ? '' : `${error.step}: `
  throw new Refusal('validation', `flow: ${step}${error.message}`)
}

async function begin(
  parts: PlatformParts,
  { flow, input, max_total: maxTotal }: GivenRun,
  payments: Awaited<ReturnType<typeof readRunPayments>>['brought'],
  owner: string,
): Promise<Extract<RunBegun, { readonly ok: true }>> {
  const begun = await parts.checker
    .run(
      'begin-run',
      {
        flow: JSON.stringify(flow),
        // It was parsed from JSON at the door.
        input: input as never,
        maxTotal,
        payments,
        now: parts.clock.nowMs() / 1_000,
      },
      owner,
    )
    .catch(refuseUnchecked)
  if (begun.ok) return begun
  const isOfPayment = payments.some(({ key }) => begun.reason.startsWith(`${key}: `))
  throw new Refusal('validation', `${isOfPayment ? 'payments' : 'input'}: ${begun.reason}`)
}

/** Runs without a payment are bounded by where they come from. */
async function admit(client: pg.PoolClient, from: string, run: NewRun): Promise<string> {
  const salted = await client.query<{ started_from: string }>(
    `select encode(sha256(convert_to(salt || ' ' || $1, 'UTF8')), 'hex') as started_from from report_salt`,
    [from],
  )
  const startedFrom = salted.rows[0]?.started_from ?? ''
  await client.query('select pg_advisory_xact_lock(hashtextextended($1, 35))', [`from ${startedFrom}`])
  const { rows } = await client.query<{ runs: number; characters: string }>(
    `select count(*)::int as runs, coalesce(sum(greatest(
       octet_length(flow) + octet_length(input) + octet_length(state),
       ${TIMES_GIVEN} * (octet_length(flow) + octet_length(input)) + ${MAX_UNORDERED_CHARACTERS})), 0) as characters
     from runs where started_from = $1 and ended_at is null`,
    [startedFrom],
  )
  const characters =
    Number(rows[0]?.characters ?? 0) +
    TIMES_GIVEN * (run.flow.length + run.input.length) +
    MAX_UNORDERED_CHARACTERS
  if (characters > MAX_UNPAID_CHARACTERS || (rows[0]?.runs ?? 0) >= MAX_UNPAID_RUNS)
    throw new Refusal(
      'rate_limited',
      'flow: too many runs from this address have nothing paid yet: pay for some, or delete them',
      { retryAfterSeconds: 60 },
    )
  return startedFrom
}
