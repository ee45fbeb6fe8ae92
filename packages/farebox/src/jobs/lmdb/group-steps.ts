import { sleep, systemClock } from '@farebox/protocol/time/clock'

/** Runs steps for many at once. */
export interface StepGroups {
  /** Resolves to what the step returned once it is committed; rejects with what it threw, or where the commit failed. */
  run<Result>(step: () => Result, options?: { readonly mayWait: boolean }): Promise<Result>
  /** Resolves when everything that was given has ended; what might have waited does not. */
  rest(): Promise<void>
}

/** Between transactions under load; a disk takes about as long to flush. */
const PAUSE_MS = 3
/** So long a step waits for one that cannot, where it may. A repeat of its job waits with it. */
const COMPANY_MS = 20

interface Waiting {
  /** Runs the step and says how to tell its caller, once it is committed. Never throws. */
  readonly perform: () => () => void
  readonly reject: (error: unknown) => void
  readonly mayWait: boolean
}

/**
 * Gathers steps into transactions: each costs a flush, a dozen pages and two changes of threads, however many steps it
 * holds. What comes while one is under way goes into the next; and after one that held several the next waits a moment,
 * so that more come. A lone caller never waits, unless its step may.
 *
 * @param transact - runs a function in one transaction; rejects where it was not committed
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
    // All that comes in this turn of the event loop goes together.
    await new Promise(resolve => setImmediate(resolve))
    while (queue.length > 0) {
      const group = queue
      queue = []
      await runGroup(transact, group)
      // Of a lone caller's job the last step may wait for the first of the next: that is no company.
      const isShared = group.filter(one => !one.mayWait).length > 1
      // The disk's own time: a clock that a test holds still does not hold the disk.
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

/** Never rejects: each caller of the group gets its outcome. */
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
