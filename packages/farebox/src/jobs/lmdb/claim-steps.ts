import type { RunningJob } from '../job.ts'
import { changeRow, claimPayment, claimRow, isHeld, type PaymentClaim } from '../job-row.ts'
import type { ClaimOutcome, Holder, JobChange, JobClaim } from '../job-store.ts'
import type { ClaimedRow, LmdbClaims, PastClaim } from './lmdb-claims.ts'
import type { LmdbTables } from './lmdb-tables.ts'

/**
 * What is done with the claims alone, while they are held exclusively. Each step answers undefined where something is
 * kept of the job in the tables, or a lease has ended: that is decided in a transaction of the tables (`job-steps.ts`), one
 * after another, so that who takes a job over knows what its last holder has written.
 */
interface ClaimParts {
  readonly tables: Pick<LmdbTables, 'job' | 'payment' | 'paid'>
  readonly claims: LmdbClaims
}

/** lmdb takes keys of 1,978 bytes; a job's lies beside its time in an index, once the job is over and its payment charged. */
const MAX_JOB_KEY_BYTES = 1_900

/** Claims a job of which there is no record. Throws for a key that lmdb would not take later. */
export function claimNew(
  { tables, claims }: ClaimParts,
  claim: JobClaim,
  nowMs: number,
): ClaimOutcome | undefined {
  const { jobKey, payment, job } = claim
  // Any other record is somebody's money.
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
 * Puts the claim, and that of its payment. Undefined, and nothing is changed, where another holds the job.
 *
 * @param claimed - `before` is the claim of an earlier holder, `paid` the payment's row to put
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

/** Renews the lease of a running job, or forgets it together with its payment's claim. */
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
    // A payment's claim outlasts its job, and the machine: it goes into the tables then.
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
 * Removes claims that are past. This process may have stood still since: another may have claimed the job again with the
 * same payment, and saved it. That payment is claimed here alone.
 */
export function removePast({ tables, claims }: ClaimParts, past: PastClaim): void {
  const paid = past.payments.length === 0 ? undefined : tables.paid(past.jobKey)
  claims.remove({ ...past, payments: past.payments.filter(key => key !== paid?.key) })
}

/** Might {@link changeClaim} do it? */
export function concernsClaim(change: JobChange): boolean {
  return change.kind === 'forget' || (change.kind === 'hold' && change.job.state === 'running')
}

/** The row, where it is not forgotten yet. */
export function unlessForgotten<Row extends { readonly forgottenMs: number }>(
  row: Row | undefined,
  nowMs: number,
): Row | undefined {
  return row !== undefined && row.forgottenMs > nowMs ? row : undefined
}
