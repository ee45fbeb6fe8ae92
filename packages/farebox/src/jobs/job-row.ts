import type { Job } from './job.ts'
import type { JobChange, JobClaim } from './job-store.ts'

/** A job's row in the in-process stores. Times are Unix milliseconds of the store's clock. */
export interface StoredRow {
  readonly fence: string
  readonly leaseEndsMs: number
  /** Infinite for a job that must never be deleted. */
  readonly forgottenMs: number
  readonly sealed: boolean
  readonly job: Job
}

/** A payment's claim for one job. */
export interface PaymentClaim {
  readonly jobKey: string
  readonly forgottenMs: number
}

/** Whether a holder's lease is valid and the job is not sealed. */
export function isHeld(row: StoredRow, nowMs: number): boolean {
  return !row.sealed && row.leaseEndsMs > nowMs
}

/** The row after a claim; undefined when the job cannot be claimed now. Pass no expired row. */
export function claimRow(row: StoredRow | undefined, claim: JobClaim, nowMs: number): StoredRow | undefined {
  if (row !== undefined && (row.sealed || isHeld(row, nowMs))) return undefined
  const job = row?.job ?? claim.job
  const leaseEndsMs = nowMs + claim.leaseMs
  // The retention time promised by an earlier holder is kept, even if the new holder dies at once.
  const forgottenMs = forgetAt(job, Math.max(row?.forgottenMs ?? 0, leaseEndsMs + claim.keepMs))
  return { fence: claim.fence, leaseEndsMs, forgottenMs, sealed: false, job }
}

/** The payment's row after a claim; undefined when the payment is claimed for another job. */
export function claimPayment(
  row: PaymentClaim | undefined,
  wish: { readonly jobKey: string; readonly keepMs: number },
  nowMs: number,
): PaymentClaim | undefined {
  const kept = row !== undefined && row.forgottenMs > nowMs ? row : undefined
  if (kept !== undefined && kept.jobKey !== wish.jobKey) return undefined
  return { jobKey: wish.jobKey, forgottenMs: Math.max(kept?.forgottenMs ?? 0, nowMs + wish.keepMs) }
}

/** The row after its holder's change. A sealed row stays sealed. */
export function changeRow(
  row: StoredRow,
  change: Exclude<JobChange, { kind: 'forget' }>,
  nowMs: number,
): StoredRow {
  const leaseEndsMs = change.kind === 'hold' ? nowMs + change.leaseMs : 0
  return {
    fence: row.fence,
    leaseEndsMs,
    forgottenMs: forgetAt(change.job, Math.max(nowMs, leaseEndsMs) + change.keepMs),
    sealed: row.sealed || (change.kind === 'leave' && change.sealed),
    job: change.job,
  }
}

/** When the record expires. A saved job never expires, because its money may move until the outcome is known (D24). */
function forgetAt(job: Job, atMs: number): number {
  return job.state === 'saved' ? Number.POSITIVE_INFINITY : atMs
}
