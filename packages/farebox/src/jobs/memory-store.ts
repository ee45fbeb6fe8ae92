import type { Clock } from '@farebox/protocol/time/clock'
import { createMemoryAccounts, type MemoryAccounts } from './memory-accounts.ts'
import type { JobAccounts } from './job-accounts.ts'
import { changeRow, claimPayment, claimRow, isHeld } from './job-row.ts'
import type { StoredRow, PaymentClaim } from './job-row.ts'
import type { ClaimOutcome, Holder, JobChange, JobClaim, JobStore } from './job-store.ts'
import { paidFor } from './paid-for.ts'

interface Memory {
  readonly jobs: Map<string, StoredRow>
  readonly payments: Map<string, PaymentClaim>
  readonly accounts: MemoryAccounts
  sweptMs: number
}

/**
 * Jobs in this process's memory (`memory:`), for dev mode, tests and simulators. They are lost with the process, so a
 * paid agent that stops during a settlement loses its record; `farebox start` warns about that.
 */
export function createMemoryStore(clock: Clock): JobStore & JobAccounts {
  const accounts = createMemoryAccounts(clock, (holder, nowMs) => {
    const row = rowOf(memory, holder.jobKey, nowMs)
    return row?.fence === holder.fence ? row.job : undefined
  })
  const memory: Memory = { jobs: new Map(), payments: new Map(), accounts, sweptMs: clock.nowMs() }
  return {
    ...accounts.port,
    async claim(claim) {
      const nowMs = clock.nowMs()
      sweep(memory, nowMs)
      return claimNow(memory, claim, nowMs)
    },
    async read(jobKey) {
      const nowMs = clock.nowMs()
      const row = rowOf(memory, jobKey, nowMs)
      return row && { job: row.job, held: isHeld(row, nowMs) }
    },
    write: async (holder, change) => writeNow(memory, holder, change, clock.nowMs()),
    async unresolved() {
      const nowMs = clock.nowMs()
      return [...memory.jobs]
        .filter(([, row]) => row.job.state === 'saved' && !isHeld(row, nowMs))
        .map(([jobKey]) => jobKey)
    },
  }
}

function rowOf({ jobs }: Memory, jobKey: string, nowMs: number): StoredRow | undefined {
  const row = jobs.get(jobKey)
  return row !== undefined && row.forgottenMs > nowMs ? row : undefined
}

function claimNow(memory: Memory, claim: JobClaim, nowMs: number): ClaimOutcome {
  const { jobs, payments } = memory
  const { jobKey, payment } = claim
  const paid = payment && claimPayment(payments.get(payment.key), { jobKey, keepMs: payment.keepMs }, nowMs)
  if (payment !== undefined && paid === undefined) return { kind: 'payment-taken' }
  const row = claimRow(rowOf(memory, jobKey, nowMs), claim, nowMs)
  if (row === undefined) return { kind: 'held' }
  jobs.set(jobKey, row)
  if (payment !== undefined && paid !== undefined) payments.set(payment.key, paid)
  return { kind: 'claimed', job: row.job }
}

function writeNow(memory: Memory, holder: Holder, change: JobChange, nowMs: number): boolean {
  const { jobs, accounts } = memory
  const row = rowOf(memory, holder.jobKey, nowMs)
  if (row?.fence !== holder.fence) return false
  if (change.kind === 'forget') forget(memory, holder.jobKey, change.payment)
  else {
    const changed = changeRow(row, change, nowMs)
    jobs.set(holder.jobKey, changed)
    const { job } = change
    const { forgottenMs } = changed
    if (job.state === 'settled')
      accounts.settle(holder.jobKey, { paid: () => paidFor(job), forgottenMs }, nowMs)
  }
  return true
}

function forget({ jobs, payments }: Memory, jobKey: string, payment: string | undefined): void {
  jobs.delete(jobKey)
  if (payment !== undefined && payments.get(payment)?.jobKey === jobKey) payments.delete(payment)
}

/** Removes expired rows, at most once per second. */
function sweep(memory: Memory, nowMs: number): void {
  const { jobs, payments, accounts } = memory
  if (nowMs - memory.sweptMs < 1_000) return
  memory.sweptMs = nowMs
  for (const [key, row] of jobs) if (row.forgottenMs <= nowMs) jobs.delete(key)
  for (const [key, row] of payments) if (row.forgottenMs <= nowMs) payments.delete(key)
  accounts.sweep(nowMs)
}
