import { statfsSync } from 'node:fs'
import type { Clock } from '@farebox/protocol/time/clock'
import { open } from 'lmdb'
import type { RootDatabase } from 'lmdb'
import { createDiskRoom, type DiskSpace } from './disk-room.ts'
import { groupSteps } from './group-steps.ts'
import { createHeldRows } from './held-rows.ts'
import { changeClaim, claimNew, concernsClaim, removePast } from './claim-steps.ts'
import { claimJob, enterJob, readJob, writeJob, type StoreParts, type Step } from './job-steps.ts'
import { isHeld, type PaymentClaim } from '../job-row.ts'
import type { OpenJobStore } from '../job-store.ts'
import { openLmdbClaims, type LmdbClaims, type PastClaim } from './lmdb-claims.ts'
import { openLmdbAccounts, type LmdbAccounts } from './lmdb-accounts.ts'
import { openLmdbTime, type LmdbTime } from './lmdb-time.ts'
import { openLmdbTables } from './lmdb-tables.ts'
import type { LmdbTables } from './lmdb-tables.ts'
import type { MachineClock } from '../machine-clock.ts'

/** A job writes two rows in a transaction at most, so sweeping four times as many as were written always catches up. */
const WRITES_PER_SWEEP = 64
const ROWS_PER_SWEEP = 4 * WRITES_PER_SWEEP
const MAX_SWEEP_PAUSE_MS = 10_000

/** What a store takes of its machine beside the time. */
interface LmdbHost {
  readonly spaceOf: (folder: string) => DiskSpace
  /** Runs something after the step that is under way. */
  readonly runSoon: (work: () => void) => void
}

const THIS_HOST: LmdbHost = { spaceOf: statfsSync, runSoon: queueMicrotask }

/**
 * Jobs in a folder of this machine (`lmdb:<folder>`), for one process or several at once. The folder is
 * created where it is missing; it must be on a disk of the machine itself, and used from one container only.
 *
 * A write that has resolved survives `kill -9`, and the loss of power too where it must: the `saved` record, before
 * money moves, and that a settlement failed, before the caller is answered (D7, D8). lmdb answers when the disk has the
 * transaction, and writes that meet share one (`group-steps.ts`); nobody waits for that of a success
 * (decision 70). The claim of a running job is gone with the power, and so is the run (`lmdb-claims.ts`).
 * lmdb's own overlapped flushing answers earlier, but saves nothing once the flush is awaited.
 *
 * Its time is the machine's, and cannot be set (`lmdb-time.ts`); a test gives it a clock and a host of its own.
 *
 * Rejects with an error that names `SERVICE_STORE` and the folder where it cannot be used, its disk is full
 * included.
 */
export async function openLmdbStore(
  folder: string,
  time: MachineClock | Pick<Clock, 'nowMs'>,
  { spaceOf, runSoon }: LmdbHost = THIS_HOST,
): Promise<OpenJobStore> {
  const name = `lmdb:${folder}`
  const { root, clock, ...rows } = openFolder(name, folder, time)
  const { tables, accounts, claims } = rows
  const held = createHeldRows(tables)
  const parts: StoreParts = { ...rows, held }
  const requireRoom = createDiskRoom(folder, spaceOf)
  const sweep = createSweep(nowMs => {
    tables.sweep(nowMs, ROWS_PER_SWEEP)
    accounts.sweep(nowMs, ROWS_PER_SWEEP)
    clock.note()
  })
  const sweepClaims = createSweep(nowMs => claims.sweep(nowMs, ROWS_PER_SWEEP))

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

  let past: readonly PastClaim[] = []
  /** With the claims alone: no transaction, no flush, and the answer at once. */
  const withClaims = <Result>(step: (nowMs: number) => Result): Result => {
    try {
      const result = claims.exclusively(() => {
        root.resetReadTxn()
        const nowMs = clock.nowMs()
        for (const one of past) removePast(parts, one)
        const outcome = step(nowMs)
        sweepClaims(nowMs)
        return outcome
      })
      past = []
      return result
    } catch (error) {
      throw unusable(name, error)
    }
  }
  /** Claims that are past are removed together, before the callers are answered: until then the row of its job is what counts. */
  const committed = <Result>({ result, past: one }: Step<Result>): Result => {
    if (one === undefined) return result
    if (past.length === 0) runSoon(removeAllPast)
    past = [...past, one]
    return result
  }
  const removeAllPast = (): void => {
    try {
      withClaims(() => {})
    } catch {
      // What was written is written. The next claim removes them, or says why nothing can be.
    }
  }

  const look = async <Result>(step: (nowMs: number) => Result): Promise<Result> => {
    try {
      // lmdb keeps a snapshot for a while; another process may have written since.
      root.resetReadTxn()
      claims.refresh()
      return step(clock.nowMs())
    } catch (error) {
      throw unusable(name, error)
    }
  }

  return {
    name,
    shared: true,
    store: {
      async claim(claim) {
        const outcome = withClaims(nowMs => {
          if (claim.job.state === 'running') requireRoom()
          return claimNew(parts, claim, nowMs)
        })
        return outcome ?? committed(await transact(nowMs => claimJob(parts, claim, nowMs)))
      },
      async write(holder, change) {
        const isWritten = concernsClaim(change)
          ? withClaims(nowMs => changeClaim(parts, holder, change, nowMs))
          : undefined
        if (isWritten !== undefined) return isWritten
        const mayWait = change.kind === 'leave' && change.mayWait
        return committed(await transact(nowMs => writeJob(parts, holder, change, nowMs), mayWait))
      },
      read: jobKey => look(nowMs => readJob(parts, jobKey, nowMs)),
      unresolved: () =>
        look(nowMs =>
          [...tables.savedJobs()].filter(([, row]) => !isHeld(row, nowMs)).map(([jobKey]) => jobKey),
        ),
    },
    accounts: {
      enter: (holder, change) => transact(nowMs => enterJob(parts, holder, change, nowMs)),
      entry: (jobKey, entry) => look(nowMs => accounts.entry(jobKey, entry, nowMs)),
      totals: (jobKey, sums) => look(nowMs => accounts.totals(jobKey, sums, nowMs)),
    },
    async close() {
      await groups.rest()
      await root.close()
      await claims.close()
    },
  }
}

function openFolder(
  name: string,
  folder: string,
  time: MachineClock | Pick<Clock, 'nowMs'>,
): {
  readonly root: RootDatabase
  readonly tables: LmdbTables
  readonly accounts: LmdbAccounts
  readonly claims: LmdbClaims
  readonly clock: LmdbTime
} {
  try {
    const root = open({
      path: folder,
      // Said outright, because lmdb takes a name with a dot in it for a file.
      noSubdir: false,
      overlappingSync: false,
      // With it, lmdb leaves a promise of its own unheard, which ends the process when a commit fails.
      eventTurnBatching: false,
    })
    const isMachines = 'boot' in time
    const clock = isMachines
      ? openLmdbTime(root, time)
      : { run: 'one', nowMs: () => time.nowMs(), note: () => {} }
    const tables = openLmdbTables(root)
    const run = { name: clock.run, isFlushed: !isMachines || time.boot === undefined }
    const claims = openLmdbClaims(folder, run, () => paymentsOf(tables))
    return { root, tables, accounts: openLmdbAccounts(root), claims, clock }
  } catch (error) {
    throw unusable(name, error)
  }
}

/** The payments that only the rows of saved jobs name. */
function paymentsOf(tables: LmdbTables): ReadonlyMap<string, PaymentClaim> {
  const payments = new Map<string, PaymentClaim>()
  for (const [jobKey, { paid }] of tables.savedJobs()) {
    const other = paid && payments.get(paid.key)
    // A claim that is over may be named as well.
    if (paid !== undefined && (other === undefined || other.forgottenMs < paid.forgottenMs))
      payments.set(paid.key, { jobKey, forgottenMs: paid.forgottenMs })
  }
  return payments
}

/** Runs it now and then, inside a transaction that writes anyway: forgotten rows are deleted, a bounded number at once. */
function createSweep(run: (nowMs: number) => void): (nowMs: number) => void {
  let writes = 0
  let sweptMs = Number.NEGATIVE_INFINITY
  return nowMs => {
    writes += 1
    if (writes < WRITES_PER_SWEEP && Math.abs(nowMs - sweptMs) < MAX_SWEEP_PAUSE_MS) return
    run(nowMs)
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
