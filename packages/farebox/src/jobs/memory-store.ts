import type { Clock } from '@farebox/protocol/time/clock'
import { createMemoryAccounts } from './memory-accounts.ts'
import type { JobAccounts } from './job-accounts.ts'
import { changeRow, claimPayment, claimRow, isHeld } from './job-row.ts'
import type { JobRow, PaymentClaim } from './job-row.ts'
import type { ClaimOutcome, JobClaim, JobStore } from './job-store.ts'
import { paidFor } from './paid-for.ts'

/**
 * Jobs in this process's memory (`memory:`): for dev mode, tests and simulators. Nothing survives the
 * process, so a paid agent that stops mid-settlement forgets what it owes; `farebox start` says so.
 */
export function createMemoryStore(clock: Clock): JobStore & JobAccounts {
  const jobs = new Map<string, JobRow>()
  const payments = new Map<string, PaymentClaim>()
  let sweptMs = clock.nowMs()
  const accounts = createMemoryAccounts(clock, (holder, nowMs) => {
    const row = rowOf(holder.jobKey, nowMs)
    return row?.fence === holder.fence ? row.job : undefined
  })

  return {
    ...accounts.port,
    async claim(claim) {
      const nowMs = clock.nowMs()
      sweep(nowMs)
      return claimNow(claim, nowMs)
    },
    async read(jobKey) {
      const nowMs = clock.nowMs()
      const row = rowOf(jobKey, nowMs)
      return row && { job: row.job, held: isHeld(row, nowMs) }
    },
    async write(holder, change) {
      const nowMs = clock.nowMs()
      const row = rowOf(holder.jobKey, nowMs)
      if (row?.fence !== holder.fence) return false
      if (change.kind === 'forget') forget(holder.jobKey, change.payment)
      else {
        const changed = changeRow(row, change, nowMs)
        jobs.set(holder.jobKey, changed)
        const { job } = change
        const { forgottenMs } = changed
        if (job.state === 'settled')
          accounts.settle(holder.jobKey, { paid: () => paidFor(job), forgottenMs }, nowMs)
      }
      return true
    },
    async unresolved() {
      const nowMs = clock.nowMs()
      return [...jobs]
        .filter(([, row]) => row.job.state === 'saved' && !isHeld(row, nowMs))
        .map(([jobKey]) => jobKey)
    },
  }

  function rowOf(jobKey: string, nowMs: number): JobRow | undefined {
    const row = jobs.get(jobKey)
    return row !== undefined && row.forgottenMs > nowMs ? row : undefined
  }

  function claimNow(claim: JobClaim, nowMs: number): ClaimOutcome {
    const { jobKey, payment } = claim
    const paid = payment && claimPayment(payments.get(payment.key), { jobKey, keepMs: payment.keepMs }, nowMs)
    if (payment !== undefined && paid === undefined) return { kind: 'payment-taken' }
    const row = claimRow(rowOf(jobKey, nowMs), claim, nowMs)
    if (row === undefined) return { kind: 'held' }
    jobs.set(jobKey, row)
    if (payment !== undefined && paid !== undefined) payments.set(payment.key, paid)
    return { kind: 'claimed', job: row.job }
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
    accounts.sweep(nowMs)
  }
}
