import type { RunningJob } from '../job.ts'
import { changeRow, claimPayment, claimRow, isHeld, type PaymentClaim } from '../job-row.ts'
import type { ClaimOutcome, Holder, JobChange, JobClaim } from '../job-store.ts'
import type { ClaimedRow, LmdbClaims, PastClaim } from './lmdb-claims.ts'
import type { LmdbTables } from './lmdb-tables.ts'

/**
 * Steps that need only the claims, which are locked during a step. A step returns undefined when the tables have a
 * record of the job, or a lease has ended: then a transaction of the tables decides (`job-steps.ts`). These run one
 * after another, so that a process that takes a job over sees everything that its last holder has written.
 */
interface ClaimParts {
  readonly tables: Pick<LmdbTables, 'job' | 'payment' | 'paid'>
  readonly claims: LmdbClaims
}

/** lmdb's limit for keys is 1,978 bytes; a job's key is later combined with a time in an index. */
const MAX_JOB_KEY_BYTES = 1_900

/** Claims a job without a record. Throws for a key that is too long for lmdb's index. */
export function claimNew(
  { tables, claims }: ClaimParts,
  claim: JobClaim,
  nowMs: number,
): ClaimOutcome | undefined {
  const { jobKey, payment, job } = claim
  // Records in other states involve a payment, and belong in the tables.
  if (job.state !== 'running') return undefined
  const keyBytes = Buffer.byteLength(jobKey)
  if (keyBytes > MAX_JOB_KEY_BYTES)
    throw new Error(
      `the key of a job has ${keyBytes} bytes, more than ${MAX_JOB_KEY_BYTES}: is the agent's URL so long?`,
    )
  const paidBefore = payment && unlessForgotten(tables.payment(payment.key), nowMs)
  if (payment !== undefined && paidBefore !== undefined)
    return paidBefore.jobKey === jobKey ? undefined : { kind: 'payment-taken' }
  const paid = payment && claimPayment(claims.payment(payment.key), { jobKey, keepMs: payment.keepMs }, nowMs)
  if (payment !== undefined && paid === undefined) return { kind: 'payment-taken' }
  if (unlessForgotten(tables.job(jobKey), nowMs) !== undefined) return undefined
  const before = claims.job(jobKey)
  if (before !== undefined) return isHeld(before, nowMs) ? { kind: 'held' } : undefined
  putClaim(claims, { claim, before: undefined, paid }, nowMs)
  return { kind: 'claimed', job }
}

/**
 * Stores the claim of a job and of its payment. Undefined, without a change, when another holder has the job.
 *
 * @param claimed - `before` is the claim of an earlier holder, `paid` is the payment's row to store
 */
export function putClaim(
  claims: LmdbClaims,
  claimed: {
    readonly claim: JobClaim
    readonly before: ClaimedRow | undefined
    readonly paid: PaymentClaim | undefined
  },
  nowMs: number,
): RunningJob | undefined {
  const { claim, before, paid } = claimed
  const after = claimRow(before, claim, nowMs)
  if (after?.job.state !== 'running') return undefined
  claims.putJob(claim.jobKey, {
    ...after,
    job: after.job,
    payment: claim.payment?.key ?? before?.payment,
  })
  if (claim.payment !== undefined && paid !== undefined) claims.putPayment(claim.payment.key, paid)
  return after.job
}

/** Renews the lease of a running job, or deletes its claim together with its payment's claim. */
export function changeClaim(
  { tables, claims }: ClaimParts,
  holder: Holder,
  change: JobChange,
  nowMs: number,
): boolean | undefined {
  const { jobKey, fence } = holder
  const row = unlessForgotten(claims.job(jobKey), nowMs)
  if (row === undefined || unlessForgotten(tables.job(jobKey), nowMs) !== undefined) return undefined
  if (row.fence !== fence) return false
  if (change.kind === 'forget') {
    // A payment's claim that outlives its job must survive a restart of the machine, so it is moved to the tables
    // there.
    if (change.payment !== row.payment) return undefined
    if (row.payment !== undefined && tables.payment(row.payment) !== undefined) return undefined
    claims.remove({ jobKey, fence, payments: row.payment === undefined ? [] : [row.payment] })
    return true
  }
  if (change.kind !== 'hold' || change.job.state !== 'running') return undefined
  claims.putJob(jobKey, { ...changeRow(row, change, nowMs), job: change.job, payment: row.payment })
  return true
}

/**
 * Removes claims that are no longer needed. This process may have been paused, so that another process may have claimed
 * the job again with the same payment and saved it; the payment's claim of a saved job is kept, because it exists only
 * here.
 */
export function removePast({ tables, claims }: ClaimParts, past: PastClaim): void {
  const paid = past.payments.length === 0 ? undefined : tables.paid(past.jobKey)
  claims.remove({ ...past, payments: past.payments.filter(key => key !== paid?.key) })
}

/** Whether {@link changeClaim} may be able to make the change. */
export function concernsClaim(change: JobChange): boolean {
  return change.kind === 'forget' || (change.kind === 'hold' && change.job.state === 'running')
}

/** The row, or undefined when it has expired. */
export function unlessForgotten<Row extends { readonly forgottenMs: number }>(
  row: Row | undefined,
  nowMs: number,
): Row | undefined {
  return row !== undefined && row.forgottenMs > nowMs ? row : undefined
}
