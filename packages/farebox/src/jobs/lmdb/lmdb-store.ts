import { statfsSync } from 'node:fs'
import type { Clock } from '@farebox/protocol/time/clock'
import type { JobAccounts } from '../job-accounts.ts'
import { isHeld } from '../job-row.ts'
import type { JobStore, OpenJobStore } from '../job-store.ts'
import type { MachineClock } from '../machine-clock.ts'
import { changeClaim, claimNew, concernsClaim } from './claim-steps.ts'
import { createDiskRoom, type DiskSpace } from './disk-room.ts'
import { createHeldRows } from './held-rows.ts'
import { claimInTables, enterJob, readStoredJob, writeJob, type StoreParts } from './job-steps.ts'
import {
  createClaimSteps,
  createTransactions,
  readFolder,
  type ClaimSteps,
  type Transactions,
} from './lmdb-access.ts'
import { openLmdbFolder, type LmdbFolder } from './lmdb-folder.ts'

/** The functions of the machine that a store uses, besides the time. */
interface LmdbHost {
  readonly spaceOf: (folder: string) => DiskSpace
  /** Runs a function after the current step. */
  readonly runSoon: (work: () => void) => void
}

const THIS_HOST: LmdbHost = { spaceOf: statfsSync, runSoon: queueMicrotask }

/**
 * Jobs in a folder of this machine (`lmdb:<folder>`), for one or several processes at once. The folder is created when
 * it is missing; it must be on a local disk, and used from one container only.
 *
 * A write that has resolved survives `kill -9`. It also survives a loss of power when that matters: the `saved` record,
 * before money moves, and the failure of a settlement, before the caller is answered (D7, D8). lmdb resolves when the
 * transaction is on the disk, and concurrent writes share a transaction (`group-steps.ts`); the record of a successful
 * settlement is not awaited (decision 70). The claim of a running job is lost with the power, as is the run itself
 * (`lmdb-claims.ts`). lmdb's own overlapped flushing resolves earlier, but is no faster when the flush is awaited.
 *
 * The store uses the machine's time since boot, which cannot be set (`lmdb-time.ts`); a test passes its own clock and
 * host.
 *
 * Rejects with an error that names `SERVICE_STORE` and the folder when it cannot be used, for example because its disk
 * is full.
 */
export async function openLmdbStore(
  folder: string,
  time: MachineClock | Pick<Clock, 'nowMs'>,
  { spaceOf, runSoon }: LmdbHost = THIS_HOST,
): Promise<OpenJobStore> {
  const opened = openLmdbFolder(folder, time)
  const { name, root, tables, accounts, claims } = opened
  const parts: StoreParts = { tables, accounts, claims, held: createHeldRows(tables) }
  const access = {
    folder: opened,
    transactions: createTransactions(opened, parts),
    claimSteps: createClaimSteps(opened, parts, runSoon),
    requireRoom: createDiskRoom(folder, spaceOf),
  }
  return {
    name,
    shared: true,
    store: storeOver(parts, access),
    accounts: accountsOver(parts, access),
    async close() {
      await access.transactions.rest()
      await root.close()
      await claims.close()
    },
  }
}

interface Access {
  readonly folder: LmdbFolder
  readonly transactions: Transactions
  readonly claimSteps: ClaimSteps
  /** Throws when the disk is nearly full. */
  readonly requireRoom: () => void
}

function storeOver(parts: StoreParts, { folder, transactions, claimSteps, requireRoom }: Access): JobStore {
  return {
    async claim(claim) {
      const outcome = claimSteps.run(nowMs => {
        if (claim.job.state === 'running') requireRoom()
        return claimNew(parts, claim, nowMs)
      })
      return (
        outcome ?? claimSteps.committed(await transactions.run(nowMs => claimInTables(parts, claim, nowMs)))
      )
    },
    async write(holder, change) {
      const isWritten = concernsClaim(change)
        ? claimSteps.run(nowMs => changeClaim(parts, holder, change, nowMs))
        : undefined
      if (isWritten !== undefined) return isWritten
      const mayWait = change.kind === 'leave' && change.mayWait
      const step = await transactions.run(nowMs => writeJob(parts, holder, change, nowMs), mayWait)
      return claimSteps.committed(step)
    },
    read: jobKey => readFolder(folder, nowMs => readStoredJob(parts, jobKey, nowMs)),
    unresolved: () =>
      readFolder(folder, nowMs =>
        [...parts.tables.savedJobs()].filter(([, row]) => !isHeld(row, nowMs)).map(([jobKey]) => jobKey),
      ),
  }
}

function accountsOver(parts: StoreParts, { folder, transactions }: Access): JobAccounts {
  const { accounts } = parts
  return {
    enter: (holder, change) => transactions.run(nowMs => enterJob(parts, holder, change, nowMs)),
    entry: (jobKey, entry) => readFolder(folder, nowMs => accounts.entry(jobKey, entry, nowMs)),
    totals: (jobKey, sums) => readFolder(folder, nowMs => accounts.totals(jobKey, sums, nowMs)),
  }
}
