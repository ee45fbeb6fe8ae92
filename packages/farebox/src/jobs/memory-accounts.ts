import type { Clock } from '@farebox/protocol/time/clock'
import {
  enterRows,
  settleRows,
  type AccountRow,
  type EnteredRows,
  type Settlement,
  type SumRow,
} from './account-row.ts'
import type { Job } from './job.ts'
import type { JobAccounts } from './job-accounts.ts'
import type { Holder } from './job-store.ts'

/** Accounts in this process's memory, and the functions that the memory store calls on them. */
export interface MemoryAccounts {
  readonly port: JobAccounts
  settle(jobKey: string, settlement: Settlement, nowMs: number): void
  sweep(nowMs: number): void
}

/** Makes the accounts; `heldJob` returns the job if the holder's fence is still valid. */
export function createMemoryAccounts(
  clock: Pick<Clock, 'nowMs'>,
  heldJob: (holder: Holder, nowMs: number) => Job | undefined,
): MemoryAccounts {
  const accounts = new Map<string, { readonly row: AccountRow; readonly texts: Map<string, string> }>()
  const sums = new Map<string, SumRow>()
  const accountOf = (jobKey: string, nowMs: number) => {
    const account = accounts.get(jobKey)
    return account !== undefined && account.row.forgottenMs > nowMs ? account : undefined
  }
  const sumAt =
    (nowMs: number) =>
    (key: string): SumRow | undefined => {
      const sum = sums.get(key)
      return sum !== undefined && sum.forgottenMs > nowMs ? sum : undefined
    }
  const put = (jobKey: string, rows: EnteredRows, texts: Map<string, string>): void => {
    accounts.set(jobKey, { row: rows.account, texts })
    for (const [key, sum] of rows.sums) sums.set(key, sum)
  }
  return {
    port: {
      async enter(holder, change) {
        const nowMs = clock.nowMs()
        const job = heldJob(holder, nowMs)
        if (job === undefined) return { kind: 'not-held' }
        if (job.state === 'settled') return { kind: 'settled' }
        const account = accountOf(holder.jobKey, nowMs)
        const rows = enterRows(account?.row, sumAt(nowMs), change, nowMs)
        if (rows.kind !== 'entered') return rows
        put(holder.jobKey, rows, (account?.texts ?? new Map<string, string>()).set(change.name, change.text))
        return { kind: 'entered' }
      },
      async entry(jobKey, name) {
        const account = accountOf(jobKey, clock.nowMs())
        const text = account?.texts.get(name)
        const revision = account?.row.revisions.get(name)
        return text === undefined || revision === undefined ? undefined : { revision, text }
      },
      async totals(jobKey, keys) {
        const nowMs = clock.nowMs()
        return {
          job: accountOf(jobKey, nowMs)?.row.total ?? 0n,
          sums: keys.map(key => sumAt(nowMs)(key)?.total ?? 0n),
        }
      },
    },
    settle(jobKey, settlement, nowMs) {
      const account = accountOf(jobKey, nowMs)
      if (account !== undefined) put(jobKey, settleRows(account.row, sumAt(nowMs), settlement), account.texts)
    },
    sweep(nowMs) {
      for (const [key, { row }] of accounts) if (row.forgottenMs <= nowMs) accounts.delete(key)
      for (const [key, row] of sums) if (row.forgottenMs <= nowMs) sums.delete(key)
    },
  }
}
