import type { EnterOutcome, EntryChange } from '../job-accounts.ts'
import { changeRow, claimPayment, claimRow, isHeld, type StoredRow, type PaymentClaim } from '../job-row.ts'
import type { ClaimOutcome, Holder, JobChange, JobClaim, StoredJob } from '../job-store.ts'
import { paidFor } from '../paid-for.ts'
import { putClaim, unlessForgotten } from './claim-steps.ts'
import type { HeldRows } from './held-rows.ts'
import type { LmdbAccounts } from './lmdb-accounts.ts'
import type { ClaimedRow, LmdbClaims, PastClaim } from './lmdb-claims.ts'
import type { LmdbTables, Paid, TableRow } from './lmdb-tables.ts'

/** The parts of a job store in lmdb. */
export interface StoreParts {
  readonly tables: LmdbTables
  readonly accounts: LmdbAccounts
  readonly claims: LmdbClaims
  readonly held: HeldRows
}

/** A step's result, and the claim to remove once the step is committed. */
export interface StepOutcome<Result> {
  readonly result: Result
  readonly past: PastClaim | undefined
}

/**
 * Claims a job in a transaction of the tables. A claim is taken over from a holder with an expired lease only here,
 * because only here no other process can write that holder's record.
 */
export function claimInTables(parts: StoreParts, claim: JobClaim, nowMs: number): StepOutcome<ClaimOutcome> {
  return parts.claims.exclusively(() => claimEither(parts, claim, nowMs))
}

function claimEither(parts: StoreParts, claim: JobClaim, nowMs: number): StepOutcome<ClaimOutcome> {
  const { tables, claims, held } = parts
  const { jobKey, payment } = claim
  const paidBefore = payment && tables.payment(payment.key)
  const paid = payment && claimTwice(payment, jobKey, [paidBefore, claims.payment(payment.key)], nowMs)
  if (payment !== undefined && paid === undefined)
    return { result: { kind: 'payment-taken' }, past: undefined }
  const stored = tables.job(jobKey)
  const before = unlessForgotten(stored, nowMs)
  const claimed = unlessForgotten(claims.job(jobKey), nowMs)
  if (before === undefined && claim.job.state === 'running') {
    const job = putClaim(claims, { claim, before: claimed, paid }, nowMs)
    if (job === undefined) return { result: { kind: 'held' }, past: undefined }
    if (payment !== undefined && paid !== undefined && paidBefore !== undefined)
      tables.putPayment(payment.key, paidBefore, paid)
    return { result: { kind: 'claimed', job }, past: undefined }
  }
  const after = claimRow(before ?? claimed, claim, nowMs)
  if (after === undefined) return { result: { kind: 'held' }, past: undefined }
  const paidEarlier = before?.paid ?? paidOf(parts, jobKey, claimed, nowMs)
  const row = putRow(parts, { jobKey, stored, after, paid: paidEarlier }, nowMs)
  if (payment !== undefined && paid !== undefined)
    tables.putPayment(payment.key, tables.payment(payment.key), paid)
  held.wrote(jobKey, row)
  return { result: { kind: 'claimed', job: after.job }, past: pastOf(jobKey, claimed, row) }
}

/** Writes a job in a transaction of the tables, if the caller holds it. */
export function writeJob(
  parts: StoreParts,
  holder: Holder,
  change: JobChange,
  nowMs: number,
): StepOutcome<boolean> {
  const { tables, accounts, claims, held } = parts
  const { jobKey, fence } = holder
  const found = findHeld(parts, holder, nowMs)
  if (found === undefined) return { result: false, past: undefined }
  const { before, stored, claimed } = found
  const paid = stored?.paid ?? paidOf(parts, jobKey, claimed, nowMs)
  if (change.kind !== 'hold') held.letGo(jobKey)
  if (change.kind === 'forget') {
    const { payment } = change
    if (stored !== undefined) tables.removeJob(jobKey, stored)
    if (paid !== undefined && paid.key !== payment) keepPayment(parts, jobKey, paid, nowMs)
    const released = payment === undefined ? undefined : tables.payment(payment)
    if (payment !== undefined && released?.jobKey === jobKey) tables.removePayment(payment, released)
    // A holder that was killed after its job got a row may have left a claim, which must be removed or it would become
    // valid again.
    const leftBy = claims.job(jobKey)?.fence ?? fence
    return { result: true, past: { jobKey, fence: leftBy, payments: defined([paid?.key, payment]) } }
  }
  const after = changeRow(before, change, nowMs)
  const row = putRow(parts, { jobKey, stored, after, paid }, nowMs)
  if (change.kind === 'hold') held.wrote(jobKey, row)
  const { job } = change
  if (job.state === 'settled') {
    const { forgottenMs } = after
    accounts.settle(jobKey, { paid: () => paidFor(job), forgottenMs }, nowMs)
  }
  const isOver = stored?.paid !== undefined && row.paid === undefined
  const past = isOver ? { jobKey, fence, payments: [stored.paid.key] } : pastOf(jobKey, claimed, row)
  return { result: true, past }
}

/** Writes an entry of a job's account in a transaction of the tables, if the caller holds the job. */
export function enterJob(
  parts: StoreParts,
  holder: Holder,
  change: EntryChange,
  nowMs: number,
): EnterOutcome {
  const found = findHeld(parts, holder, nowMs)
  if (found === undefined) return { kind: 'not-held' }
  if (found.before.job.state === 'settled') return { kind: 'settled' }
  return parts.accounts.enter(holder.jobKey, change, nowMs)
}

/** Reads the stored job. Call it outside of transactions. */
export function readStoredJob(
  { tables, claims }: StoreParts,
  jobKey: string,
  nowMs: number,
): StoredJob | undefined {
  // The claim is read first, because it is removed once the job has a row in the tables.
  const claimed = unlessForgotten(claims.job(jobKey), nowMs)
  const row: StoredRow | undefined = unlessForgotten(tables.job(jobKey), nowMs) ?? claimed
  return row && { job: row.job, held: isHeld(row, nowMs) }
}

interface Found {
  readonly before: StoredRow
  /** The row in the tables, whether it has expired or not. */
  readonly stored: TableRow | undefined
  /** Set when there is only a claim. */
  readonly claimed: ClaimedRow | undefined
}

/** The job as its holder left it; undefined when another process has claimed it since, or it has expired. */
function findHeld({ claims, held }: StoreParts, { jobKey, fence }: Holder, nowMs: number): Found | undefined {
  const stored = held.row(jobKey)
  claims.refresh()
  const row = unlessForgotten(stored, nowMs)
  if (row !== undefined) return row.fence === fence ? { before: row, stored, claimed: undefined } : undefined
  const claimed = unlessForgotten(claims.job(jobKey), nowMs)
  return claimed?.fence === fence ? { before: claimed, stored, claimed } : undefined
}

/** Stores a job's row and its payment: in the row of a saved job, otherwise in the table of payments. */
function putRow(
  parts: StoreParts,
  put: {
    readonly jobKey: string
    readonly stored: TableRow | undefined
    readonly after: StoredRow
    readonly paid: Paid | undefined
  },
  nowMs: number,
): TableRow {
  const { jobKey, stored, after, paid } = put
  const isSaved = after.job.state === 'saved'
  const row: TableRow = { ...after, paid: isSaved ? paid : undefined }
  parts.tables.putJob(jobKey, stored, row)
  if (paid !== undefined && !isSaved) keepPayment(parts, jobKey, paid, nowMs)
  return row
}

/**
 * Stores a payment in the table of payments, unless its claim has expired, because another job may have claimed it
 * since.
 */
function keepPayment(
  { tables }: StoreParts,
  jobKey: string,
  { key, forgottenMs }: Paid,
  nowMs: number,
): void {
  if (forgottenMs <= nowMs) return
  const before = tables.payment(key)
  if (before?.jobKey === jobKey && before.forgottenMs >= forgottenMs) return
  tables.putPayment(key, before, { jobKey, forgottenMs })
}

/** The payment that was claimed with a running job, while that claim is valid. */
function paidOf(
  { claims }: StoreParts,
  jobKey: string,
  claimed: ClaimedRow | undefined,
  nowMs: number,
): Paid | undefined {
  const key = claimed?.payment
  const claim = key === undefined ? undefined : unlessForgotten(claims.payment(key), nowMs)
  if (key === undefined || claim?.jobKey !== jobKey) return undefined
  return { key, forgottenMs: claim.forgottenMs }
}

/** The payment's row after a claim that both earlier claims allow; undefined when one of them is for another job. */
function claimTwice(
  { keepMs }: { readonly keepMs: number },
  jobKey: string,
  before: readonly [PaymentClaim | undefined, PaymentClaim | undefined],
  nowMs: number,
): PaymentClaim | undefined {
  const [one, other] = before.map(claimed => claimPayment(claimed, { jobKey, keepMs }, nowMs))
  if (one === undefined || other === undefined) return undefined
  return one.forgottenMs > other.forgottenMs ? one : other
}

/** The claims to remove once this row is stored. The payment's claim is kept when only this row names the payment. */
function pastOf(jobKey: string, claimed: ClaimedRow | undefined, row: TableRow): PastClaim | undefined {
  if (claimed === undefined) return undefined
  return { jobKey, fence: claimed.fence, payments: row.paid === undefined ? defined([claimed.payment]) : [] }
}

function defined(keys: readonly (string | undefined)[]): readonly string[] {
  return keys.filter(key => key !== undefined)
}
