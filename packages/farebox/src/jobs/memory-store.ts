import type { Clock } from '../clock.ts'
import type { Job } from './job.ts'
import type { ClaimOutcome, JobChange, JobClaim, JobStore } from './job-store.ts'

interface Row {
  readonly fence: string
  readonly leaseEndsMs: number
  readonly forgottenMs: number
  readonly sealed: boolean
  readonly job: Job
}

interface PaymentRow {
  readonly jobKey: string
  readonly forgottenMs: number
}

/**
 * Jobs in this process's memory (`memory:`): for dev mode, tests and simulators. Nothing survives the process, so
 * a paid agent that stops mid-settlement forgets what it owes; `farebox start` says so.
 */
export function createMemoryStore(clock: Clock): JobStore {
  const jobs = new Map<string, Row>()
  const payments = new Map<string, PaymentRow>()
  let sweptMs = clock.nowMs()

  const rowOf = (jobKey: string, nowMs: number): Row | undefined => {
    const row = jobs.get(jobKey)
    return row !== undefined && row.forgottenMs > nowMs ? row : undefined
  }

  return {
    async claim(claim) {
      const nowMs = clock.nowMs()
      sweep(nowMs)
      return claimNow(claim, nowMs)
    },
    async read(jobKey) {
      const nowMs = clock.nowMs()
      const row = rowOf(jobKey, nowMs)
      return row && { job: row.job, held: !row.sealed && row.leaseEndsMs > nowMs }
    },
    async write(holder, change) {
      const nowMs = clock.nowMs()
      if (rowOf(holder.jobKey, nowMs)?.fence !== holder.fence) return false
      if (change.kind === 'forget') forget(holder.jobKey, change.payment)
      else jobs.set(holder.jobKey, changedRow(holder.fence, change, nowMs))
      return true
    },
    async unresolved() {
      const nowMs = clock.nowMs()
      return [...jobs].filter(([, row]) => row.job.state === 'saved' && row.leaseEndsMs <= nowMs).map(([jobKey]) => jobKey)
    },
  }

  function claimNow(claim: JobClaim, nowMs: number): ClaimOutcome {
    const { jobKey, fence, payment } = claim
    const taken = payment && payments.get(payment.key)
    if (taken !== undefined && taken.forgottenMs > nowMs && taken.jobKey !== jobKey) return { kind: 'payment-taken' }
    const row = rowOf(jobKey, nowMs)
    if (row !== undefined && (row.sealed || row.leaseEndsMs > nowMs)) return { kind: 'held' }
    const job = row?.job ?? claim.job
    const leaseEndsMs = nowMs + claim.leaseMs
    jobs.set(jobKey, { fence, leaseEndsMs, forgottenMs: forgetAt(job, leaseEndsMs + claim.keepMs), sealed: false, job })
    if (payment !== undefined) payments.set(payment.key, { jobKey, forgottenMs: nowMs + payment.keepMs })
    return { kind: 'claimed', job }
  }

  function forget(jobKey: string, payment: string | undefined): void {
    jobs.delete(jobKey)
    if (payment !== undefined && payments.get(payment)?.jobKey === jobKey) payments.delete(payment)
  }

  /** Every second at most: what is forgotten must also leave the memory. */
  function sweep(nowMs: number): void {
    if (nowMs - sweptMs < 1_000) return
    sweptMs = nowMs
    for (const [key, row] of jobs) if (row.forgottenMs <= nowMs) jobs.delete(key)
    for (const [key, row] of payments) if (row.forgottenMs <= nowMs) payments.delete(key)
  }
}

function changedRow(fence: string, change: Exclude<JobChange, { kind: 'forget' }>, nowMs: number): Row {
  const { job } = change
  const leaseEndsMs = change.kind === 'hold' ? nowMs + change.leaseMs : 0
  return {
    fence,
    leaseEndsMs,
    forgottenMs: forgetAt(job, Math.max(nowMs, leaseEndsMs) + change.keepMs),
    sealed: change.kind === 'leave' && change.sealed,
    job,
  }
}

/** Money may move for a saved job: it is kept until somebody knows (D24). */
function forgetAt(job: Job, atMs: number): number {
  return job.state === 'saved' ? Number.POSITIVE_INFINITY : atMs
}
