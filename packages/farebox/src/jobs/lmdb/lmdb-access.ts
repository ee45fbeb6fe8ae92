import { removePast } from './claim-steps.ts'
import { groupSteps } from './group-steps.ts'
import type { StepOutcome, StoreParts } from './job-steps.ts'
import type { PastClaim } from './lmdb-claims.ts'
import { unusableFolder, type LmdbFolder } from './lmdb-folder.ts'

/**
 * Access to a folder that other processes use as well. Every method throws or rejects with an error that names the
 * store.
 */

/**
 * Runs steps in transactions of the tables, one at a time across all processes, so that each sees the result of the one
 * before.
 */
export interface Transactions {
  run<Result>(step: (nowMs: number) => Result, mayWait?: boolean): Promise<Result>
  /** Resolves when all steps have ended. */
  rest(): Promise<void>
}

/**
 * Runs steps that need only the claims: without a transaction of the tables and without a flush, so that the result is
 * available at once.
 */
export interface ClaimSteps {
  run<Result>(step: (nowMs: number) => Result): Result
  /**
   * Returns the result of a committed step. Claims that are no longer needed are removed in batches, before the callers
   * are answered; until then the row of the job takes precedence.
   */
  committed<Result>(step: StepOutcome<Result>): Result
}

/** A job writes at most two rows per transaction, so a sweep of four times as many rows always catches up. */
const WRITES_PER_SWEEP = 64
const ROWS_PER_SWEEP = 4 * WRITES_PER_SWEEP
const MAX_SWEEP_PAUSE_MS = 10_000

/** Makes the transactions of a store. */
export function createTransactions(
  { name, root, tables, accounts, clock }: LmdbFolder,
  { held }: Pick<StoreParts, 'held'>,
): Transactions {
  const groups = groupSteps(steps => root.transaction(steps))
  const sweep = createSweep(nowMs => {
    tables.sweep(nowMs, ROWS_PER_SWEEP)
    accounts.sweep(nowMs, ROWS_PER_SWEEP)
    clock.note()
  })
  return {
    async run(step, mayWait = false) {
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
        throw unusableFolder(name, await reasonOf(error))
      }
    },
    rest: groups.rest,
  }
}

/**
 * Makes the claim steps of a store.
 *
 * @param runSoon runs a function after the current step
 */
export function createClaimSteps(
  { name, root, clock }: LmdbFolder,
  parts: StoreParts,
  runSoon: (work: () => void) => void,
): ClaimSteps {
  const { claims } = parts
  const sweep = createSweep(nowMs => claims.sweep(nowMs, ROWS_PER_SWEEP))
  let past: readonly PastClaim[] = []

  const run = <Result>(step: (nowMs: number) => Result): Result => {
    try {
      const result = claims.exclusively(() => {
        root.resetReadTxn()
        const nowMs = clock.nowMs()
        for (const one of past) removePast(parts, one)
        const outcome = step(nowMs)
        sweep(nowMs)
        return outcome
      })
      past = []
      return result
    } catch (error) {
      throw unusableFolder(name, error)
    }
  }
  const removeAllPast = (): void => {
    try {
      run(() => {})
    } catch {
      // The write has already succeeded, so a failed cleanup is ignored; the next claim tries again and reports the
      // error.
    }
  }
  return {
    run,
    committed({ result, past: one }) {
      if (one === undefined) return result
      if (past.length === 0) runSoon(removeAllPast)
      past = [...past, one]
      return result
    },
  }
}

/** Reads from the folder without a transaction. */
export async function readFolder<Result>(
  { name, root, claims, clock }: LmdbFolder,
  step: (nowMs: number) => Result,
): Promise<Result> {
  try {
    // lmdb reuses a snapshot for a while, but another process may have written since.
    root.resetReadTxn()
    claims.refresh()
    return step(clock.nowMs())
  } catch (error) {
    throw unusableFolder(name, error)
  }
}

/** Runs a sweep in some of the transactions that write anyway; each deletes a limited number of expired rows. */
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

/**
 * The reason of a failed commit. lmdb stores it in a promise, whose rejection would end the process if it were not
 * handled.
 */
async function reasonOf(error: unknown): Promise<unknown> {
  if (!(error instanceof Error) || !('commitError' in error)) return error
  // The promise has been rejected by now; if it has not, the error itself is used.
  const reason = await Promise.race([error.commitError, Promise.resolve(error)]).catch(
    (thrown: unknown) => thrown,
  )
  // lmdb reports a full disk as an input/output error.
  const said = reason instanceof Error ? reason.message : String(reason)
  return new Error(`${said}; is its disk full?`, { cause: reason })
}
