import { removePast } from './claim-steps.ts'
import { groupSteps } from './group-steps.ts'
import type { StepOutcome, StoreParts } from './job-steps.ts'
import type { PastClaim } from './lmdb-claims.ts'
import { unusableFolder, type LmdbFolder } from './lmdb-folder.ts'

/** How steps reach a folder that other processes use too. Each way throws, or rejects, with an error that names the store. */

/** Runs steps in transactions of the tables: one at a time over all processes, each on what the one before has left. */
export interface Transactions {
  run<Result>(step: (nowMs: number) => Result, mayWait?: boolean): Promise<Result>
  /** Resolves when everything that was given has ended. */
  rest(): Promise<void>
}

/** Runs steps with the claims alone: no transaction, no flush, and the answer at once. */
export interface ClaimSteps {
  run<Result>(step: (nowMs: number) => Result): Result
  /**
   * What a committed step has come to. Claims that are past are removed together, before the callers are answered: until
   * then the row of its job is what counts.
   */
  committed<Result>(step: StepOutcome<Result>): Result
}

/** A job writes two rows in a transaction at most, so sweeping four times as many as were written always catches up. */
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
 * Makes the steps with the claims of a store.
 *
 * @param runSoon runs something after the step that is under way
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
      // What was written is written. The next claim removes them, or says why nothing can be.
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

/** Reads, without a transaction. */
export async function readFolder<Result>(
  { name, root, claims, clock }: LmdbFolder,
  step: (nowMs: number) => Result,
): Promise<Result> {
  try {
    // lmdb keeps a snapshot for a while; another process may have written since.
    root.resetReadTxn()
    claims.refresh()
    return step(clock.nowMs())
  } catch (error) {
    throw unusableFolder(name, error)
  }
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
  const said = reason instanceof Error ? reason.message : String(reason)
  return new Error(`${said}; is its disk full?`, { cause: reason })
}
