import { open } from 'lmdb'
import type { RootDatabase } from 'lmdb'
import type { Clock } from '../../clock.ts'
import { groupSteps } from './group-steps.ts'
import { createHeldRows, type HeldRows } from './held-rows.ts'
import { changeRow, claimPayment, claimRow, isHeld } from '../job-row.ts'
import type { ClaimOutcome, Holder, JobChange, JobClaim, OpenJobStore } from '../job-store.ts'
import { openLmdbAccounts, type LmdbAccounts } from './lmdb-accounts.ts'
import { openLmdbTime, type LmdbTime } from './lmdb-time.ts'
import { openLmdbTables } from './lmdb-tables.ts'
import type { LmdbTables } from './lmdb-tables.ts'
import type { MachineClock } from '../machine-clock.ts'
import { paidFor } from '../paid-for.ts'

/** A claim leaves two rows at most, so sweeping four times as many as were written always catches up. */
const WRITES_PER_SWEEP = 64
const ROWS_PER_SWEEP = 4 * WRITES_PER_SWEEP
const MAX_SWEEP_PAUSE_MS = 10_000

/**
 * Jobs in a folder of this machine (`lmdb:<folder>`), for one process or several at once. The folder is
 * created where it is missing; it must be on a disk of the machine itself, and used from one container only.
 *
 * A write that has resolved survives `kill -9` and the loss of power alike: lmdb answers when the disk has
 * the transaction. What must survive is the `saved` record, before money moves, and that a settlement failed, before
 * the caller is told (D7, D8). A claim need not, but waits as well, because writes that meet share one flush
 * (`group-steps.ts`); nobody waits for that of a success (docs/decisions/0070). lmdb's own overlapped flushing answers earlier, but saves nothing once the flush is awaited.
 *
 * Its time is the machine's, and cannot be set (`lmdb-time.ts`); a test gives it a clock of its own.
 *
 * Rejects with an error that names `SERVICE_STORE` and the folder where it cannot be used, its disk is full
 * included.
 */
export async function openLmdbStore(
  folder: string,
  time: MachineClock | Pick<Clock, 'nowMs'>,
): Promise<OpenJobStore> {
  const name = `lmdb:${folder}`
  const [root, tables, accounts, clock] = openFolder(name, folder, time)
  const sweep = createSweep(tables, accounts, clock)

  const held = createHeldRows(tables)
  const rows = { tables, accounts, held }
  const groups = groupSteps(steps => root.transaction(steps))
  /** Transactions run one at a time over all processes, each on what the one before has left. */
  const transact = async <Result>(step: (nowMs: number) => Result, mayWait = false): Promise<Result> => {
    try {
      return await groups.run(
        () => {
          const nowMs = clock.nowMs()
          const result = step(nowMs)
          sweep(nowMs)
          return result
        },
        { mayWait },
      )
    } catch (error) {
      held.forgetAll()
      throw unusable(name, await reasonOf(error))
    }
  }

  const look = async <Result>(step: (nowMs: number) => Result): Promise<Result> => {
    try {
      // lmdb keeps a snapshot for a while; another process may have written since.
      root.resetReadTxn()
      return step(clock.nowMs())
    } catch (error) {
      throw unusable(name, error)
    }
  }

  return {
    name,
    shared: true,
    store: {
      claim: claim => transact(nowMs => claimNow(rows, claim, nowMs)),
      write: (holder, change) =>
        transact(nowMs => writeNow(rows, holder, change, nowMs), change.kind === 'leave' && change.mayWait),
      read: jobKey =>
        look(nowMs => {
          const row = tables.job(jobKey)
          if (row === undefined || row.forgottenMs <= nowMs) return undefined
          return { job: row.job, held: isHeld(row, nowMs) }
        }),
      unresolved: () =>
        look(nowMs =>
          tables.savedJobs().filter(jobKey => {
            const row = tables.job(jobKey)
            return row !== undefined && !isHeld(row, nowMs)
          }),
        ),
    },
    accounts: {
      enter: (holder, change) =>
        transact(nowMs => {
          const row = held.find(holder, nowMs)
          if (row === undefined) return { kind: 'not-held' }
          if (row.job.state === 'settled') return { kind: 'settled' }
          return accounts.enter(holder.jobKey, change, nowMs)
        }),
      entry: (jobKey, entry) => look(nowMs => accounts.entry(jobKey, entry, nowMs)),
      totals: (jobKey, sums) => look(nowMs => accounts.totals(jobKey, sums, nowMs)),
    },
    async close() {
      await groups.rest()
      await root.close()
    },
  }
}

function openFolder(
  name: string,
  folder: string,
  time: MachineClock | Pick<Clock, 'nowMs'>,
): [RootDatabase, LmdbTables, LmdbAccounts, LmdbTime] {
  try {
    const root = open({
      path: folder,
      // Said outright, because lmdb takes a name with a dot in it for a file.
      noSubdir: false,
      overlappingSync: false,
      // With it, lmdb leaves a promise of its own unheard, which ends the process when a commit fails.
      eventTurnBatching: false,
    })
    const clock = 'boot' in time ? openLmdbTime(root, time) : { nowMs: () => time.nowMs(), note: () => {} }
    return [root, openLmdbTables(root), openLmdbAccounts(root), clock]
  } catch (error) {
    throw unusable(name, error)
  }
}

interface Rows {
  readonly tables: LmdbTables
  readonly accounts: LmdbAccounts
  readonly held: HeldRows
}

function claimNow({ tables, held }: Rows, claim: JobClaim, nowMs: number): ClaimOutcome {
  const { jobKey, payment } = claim
  const paidBefore = payment && tables.payment(payment.key)
  const paid = payment && claimPayment(paidBefore, { jobKey, keepMs: payment.keepMs }, nowMs)
  if (payment !== undefined && paid === undefined) return { kind: 'payment-taken' }
  const before = tables.job(jobKey)
  const kept = before !== undefined && before.forgottenMs > nowMs ? before : undefined
  const after = claimRow(kept, claim, nowMs)
  if (after === undefined) return { kind: 'held' }
  tables.putJob(jobKey, before, after)
  if (payment !== undefined && paid !== undefined) tables.putPayment(payment.key, paidBefore, paid)
  held.wrote(jobKey, after)
  return { kind: 'claimed', job: after.job }
}

function writeNow(
  { tables, accounts, held }: Rows,
  holder: Holder,
  change: JobChange,
  nowMs: number,
): boolean {
  const { jobKey } = holder
  const before = held.find(holder, nowMs)
  if (before === undefined) return false
  if (change.kind !== 'hold') held.letGo(jobKey)
  if (change.kind === 'forget') {
    tables.removeJob(jobKey, before)
    const paid = change.payment === undefined ? undefined : tables.payment(change.payment)
    if (change.payment !== undefined && paid?.jobKey === jobKey) tables.removePayment(change.payment, paid)
    return true
  }
  const after = changeRow(before, change, nowMs)
  tables.putJob(jobKey, before, after)
  if (change.kind === 'hold') held.wrote(jobKey, after)
  const { job } = change
  if (job.state === 'settled') {
    const { forgottenMs } = after
    accounts.settle(jobKey, { paid: () => paidFor(job), forgottenMs }, nowMs)
  }
  return true
}

/** Deletes forgotten rows now and then, a bounded number at once, inside a transaction that writes anyway. */
function createSweep(tables: LmdbTables, accounts: LmdbAccounts, time: LmdbTime): (nowMs: number) => void {
  let writes = 0
  let sweptMs = Number.NEGATIVE_INFINITY
  return nowMs => {
    writes += 1
    if (writes < WRITES_PER_SWEEP && Math.abs(nowMs - sweptMs) < MAX_SWEEP_PAUSE_MS) return
    tables.sweep(nowMs, ROWS_PER_SWEEP)
    accounts.sweep(nowMs, ROWS_PER_SWEEP)
    time.note()
    writes = 0
    sweptMs = nowMs
  }
}

/** A failed commit keeps its reason in a promise, which would end the process if nobody took it. */
async function reasonOf(error: unknown): Promise<unknown> {
  if (!(error instanceof Error) || !('commitError' in error)) return error
  // It has been rejected by now; should it ever not be, the error itself must do.
  const reason = await Promise.race([error.commitError, Promise.resolve(error)]).catch(
    (thrown: unknown) => thrown,
  )
  // A full disk is what lmdb calls an input/output error.
  return new Error(`${messageOf(reason)}; is its disk full?`, { cause: reason })
}

function unusable(name: string, cause: unknown): Error {
  return new Error(`SERVICE_STORE=${name}: this folder cannot be used: ${messageOf(cause)}`, { cause })
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
