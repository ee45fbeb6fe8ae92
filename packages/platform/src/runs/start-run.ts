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
import type { Trace } from '@farebox/protocol/internal/trace/traceparent'
import { createSlots } from '../outbound/slots.ts'
import type { PlatformParts } from '../platform-parts.ts'
import { createWritePace, takeChange, type WritePace } from './records/write-pace.ts'
import { hashRunToken, makeRunToken, opensRun } from './authorize-run.ts'
import { refuseBadMaxTotal, readRunPayments, type PaymentMeans } from './pay/read-payments.ts'
import { refuseUnchecked } from './records/refuse-unchecked.ts'
import { sizeOfRun, type RunRow } from './records/run-row.ts'
import { insertRun, readRunRow, readRunHashes, type NewRun } from './records/run-store.ts'

/** The request for a run, as sent by the caller. */
export type GivenRun = z.output<typeof runRequest>

/** A run that was written. */
interface StartedRun {
  readonly run: RunRow
  /** Undefined when the caller provided the token, or when the run had already been started. */
  readonly token: string | undefined
}

/** Starts a run for a caller. */
export type StartRun = (given: GivenRun, source: RunSource, signal: AbortSignal) => Promise<StartedRun>

/** Who starts a run, and the trace that its jobs belong to. */
export interface RunSource {
  readonly caller: Caller
  readonly trace: Trace
}

/** The limits for runs without a payment from one address: the characters they may grow to, and their number. */
const MAX_UNPAID_CHARACTERS = 256 * 1_048_576
const MAX_UNPAID_RUNS = 5_000
/**
 * Before any job of it is ordered, a run may grow to this many times its initial size: see `MAX_UNORDERED_CHARACTERS`.
 */
const TIMES_GIVEN = 3
/** Concurrent starts from one address; further ones wait. */
const STARTS_AT_ONCE = 8

/**
 * Creates the function that starts runs in one process. It checks the flow against the current declarations of its
 * agents, the input, and the payments, and writes everything in one transaction; nothing is ordered before that. A
 * repeated request with the same run_id and token returns the same run; a different request with them is refused.
 *
 * @throws {Refusal} with a sentence for the caller; nothing was written then
 */
export function createStartRun(parts: PlatformParts, means: PaymentMeans): StartRun {
  const turns = createSlots(STARTS_AT_ONCE)
  const pace = createWritePace(() => parts.clock.nowMs())
  return async (given, { caller, trace }, signal) => {
    const from = callerKey(caller.ip)
    const leave = await turns.take(from, signal)
    try {
      return await start(parts, means, given, { from, trace, hasAccount: caller.kind === 'owner', pace })
    } finally {
      leave()
    }
  }
}

/** What is known of the caller of a start. */
interface StartTerms {
  /** The key of the caller's address from `callerKey`. */
  readonly from: string
  readonly trace: Trace
  readonly hasAccount: boolean
  readonly pace: WritePace
}

async function start(
  parts: PlatformParts,
  means: PaymentMeans,
  given: GivenRun,
  { from, trace, hasAccount, pace }: StartTerms,
): Promise<StartedRun> {
  const runId = (given.run_id ?? randomUUID()).toLowerCase()
  const token = given.run_token ?? makeRunToken()
  const requestHash = await hashRequest(given)
  const known = await findStarted(parts, runId, token, requestHash)
  if (known !== undefined) return known
  means.take(from, given.payments.length)
  refuseBadMaxTotal(given.max_total)
  // The route's schema has validated the flow.
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
    trace,
    flow: JSON.stringify(flow),
    input,
    maxTotal: given.max_total,
    state,
    plan,
    // Payments of steps that are already skipped are not stored.
    payments: payments.sealed.filter(({ jobId }) => plan.kept.includes(jobId)),
    startedFrom: '',
    hasAccount,
  }
  // Counted as a write, because a caller could repeatedly start and delete a run.
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

/**
 * Hashes a request without its payments: a run keeps those it was started with, and a repeated request cannot add
 * others.
 */
async function hashRequest({ flow, flow_id: id, input, max_total }: GivenRun): Promise<string> {
  // The request was parsed from JSON.
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

/** Refuses a flow with errors; the message of the check describes the first one and how to fix it. */
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
        // The input was parsed from JSON by the route.
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

/** Limits runs without a payment by the address they are started from. */
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
