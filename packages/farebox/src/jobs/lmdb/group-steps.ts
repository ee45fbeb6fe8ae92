import { sleep, systemClock } from '@farebox/protocol/time/clock'

/** Runs steps in shared transactions. */
export interface StepGroups {
  /** Resolves to the step's result when it is committed; rejects with the step's error, or when the commit failed. */
  run<Result>(step: () => Result, options?: { readonly mayWait: boolean }): Promise<Result>
  /** Runs the steps that are still delayed, and resolves when all steps have ended. */
  rest(): Promise<void>
}

/** The pause between transactions under load; a flush of the disk takes about as long. */
const PAUSE_MS = 3
/** How long a step with `mayWait` waits for another step. A repeat of its job waits with it. */
const COMPANY_MS = 20

interface Waiting {
  /** Runs the step, and returns a function that resolves or rejects its promise after the commit. Never throws. */
  readonly perform: () => () => void
  readonly reject: (error: unknown) => void
  readonly mayWait: boolean
}

/**
 * Combines steps into transactions: each transaction costs a flush, a dozen pages and two thread switches, however many
 * steps it has. Steps that arrive during a transaction go into the next one; after a transaction with several steps the
 * next one is delayed, so that it gets more steps. A single caller never waits, unless its step allows it.
 *
 * @param transact - runs a function in one transaction; rejects when it was not committed
 */
export function groupSteps(transact: (steps: () => void) => Promise<void>): StepGroups {
  let queue: Waiting[] = []
  let underWay: Promise<void> | undefined
  let stopWaiting: (() => void) | undefined

  const begin = (): void => {
    stopWaiting?.()
    stopWaiting = undefined
    underWay ??= work()
  }
  const work = async (): Promise<void> => {
    // Collects all steps of this turn of the event loop.
    await new Promise(resolve => setImmediate(resolve))
    while (queue.length > 0) {
      const group = queue
      queue = []
      await runGroup(transact, group)
      // A delayed last step of a job together with the first step of the same caller's next job is not counted as load.
      const isShared = group.filter(one => !one.mayWait).length > 1
      // Real time, because a test that stops the clock does not stop the disk.
      if (isShared) await sleep(systemClock, PAUSE_MS)
    }
    underWay = undefined
  }
  return {
    run: (step, { mayWait } = { mayWait: false }) =>
      new Promise((resolve, reject) => {
        const perform = (): (() => void) => {
          try {
            const result = step()
            return () => resolve(result)
          } catch (error) {
            return () => reject(error)
          }
        }
        queue.push({ perform, reject, mayWait })
        if (underWay !== undefined) return
        if (mayWait) stopWaiting ??= systemClock.after(COMPANY_MS, begin)
        else begin()
      }),
    async rest() {
      if (queue.length > 0) begin()
      await underWay
    },
  }
}

/** Runs one group of steps. Never rejects: each caller gets its own result. */
async function runGroup(
  transact: (steps: () => void) => Promise<void>,
  group: readonly Waiting[],
): Promise<void> {
  let tell: readonly (() => void)[] = []
  try {
    await transact(() => {
      tell = group.map(({ perform }) => perform())
    })
    for (const one of tell) one()
  } catch (error) {
    for (const { reject } of group) reject(error)
  }
}
