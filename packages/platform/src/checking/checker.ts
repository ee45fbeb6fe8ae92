import { availableParallelism } from 'node:os'
import { within } from '@farebox/protocol/internal/time/within'
import type { Clock } from '@farebox/protocol/time/clock'
import { startCheckThread, type CheckThread } from './check-thread.ts'
import type { CheckOrder } from './check-messages.ts'
import type { Checks } from './checks.ts'
import { createFairQueue, type FairQueue } from '../work/fair-queue.ts'
import { createSmallChecks, type SmallChecks, type SmallVerdict } from './small-checks.ts'

/** Checks what untrusted hosts declare and send, outside the event loop (D42). */
export interface Checker {
  /**
   * Runs one check. A small check of an input or output runs immediately; all others run in a worker thread. Checks of one
   * owner run one after the other, and owners take turns, so slow patterns of one agent delay only its own orders.
   *
   * @param owner the owner of the declaration that can make the check slow: `agent 7`, or an endpoint
   * @throws {CheckFailed} when the check takes too long or too much memory, or when too many checks wait
   */
  run<K extends keyof Checks>(
    kind: K,
    given: Parameters<Checks[K]>[0],
    owner: string,
  ): Promise<ReturnType<Checks[K]>>
  /** Stops the threads; pending checks are rejected. */
  close(): Promise<void>
}

/** A check that ended without a verdict. */
export class CheckFailed extends Error {
  override readonly name = 'CheckFailed'
}

/** Options of a checker. */
export interface CheckerOptions {
  readonly clock: Clock
  readonly threads?: number
  /**
   * A safety limit in milliseconds, including the start of the thread. The steps of a check are bounded, so only a broken
   * thread exceeds it.
   */
  readonly timeoutMs?: number
}

const TIMEOUT_MS = 30_000
/** The free queue places are divided by this number to get the most that one owner may have waiting. */
const PART_OF_LEFT = 2
const MOST_WAITING = 256

interface Waiting {
  readonly order: CheckOrder
  readonly owner: string
  resolve(result: unknown): void
  reject(error: CheckFailed): void
}

/**
 * Creates a checker; its threads start with the first checks.
 *
 * @example
 * ```ts
 * import { createChecker } from '@farebox/platform/checking/checker'
 * import { systemClock } from '@farebox/protocol/time/clock'
 *
 * const checker = createChecker({ clock: systemClock })
 * const about = await checker.run('about', '{ "name": "Shout" }', 'https://agent.example')
 * console.log(about.ok ? about.declaration.name : about.reason) // is not a valid declaration
 * await checker.close()
 * ```
 */
export function createChecker({ clock, threads, timeoutMs = TIMEOUT_MS }: CheckerOptions): Checker {
  const queue = createFairQueue<Waiting>()
  const pool = createThreadPool(clock, {
    size: threads ?? Math.max(1, Math.min(2, availableParallelism() - 1)),
    timeoutMs,
    queue,
  })
  const small = createSmallChecks()
  let isClosed = false
  return {
    run: (kind, given, owner) =>
      new Promise((resolve, reject) => {
        if (isClosed) return reject(new CheckFailed(STOPPED))
        const verdict = checkAtOnce(small, kind, given)
        if (verdict !== undefined) return resolve(verdict.violation as never)
        if (queue.count(owner) >= Math.floor((MOST_WAITING - queue.size) / PART_OF_LEFT))
          return reject(new CheckFailed('cannot be checked now: too many checks wait'))
        queue.add(owner, {
          order: { kind, given },
          owner,
          // Safe: a thread answers with the return type of the kind's check.
          resolve: result => resolve(result as never),
          reject,
        })
        pool.start()
      }),
    async close() {
      isClosed = true
      for (let one = queue.next(); one !== undefined; one = queue.next()) one.reject(new CheckFailed(STOPPED))
      await pool.end()
    },
  }
}

const STOPPED = 'is not checked any more: the platform stops'

/** `undefined` when a thread must run the check: another kind, a large value, or a schema that cannot be compiled. */
function checkAtOnce<K extends keyof Checks>(
  small: SmallChecks,
  kind: K,
  given: Parameters<Checks[K]>[0],
): SmallVerdict | undefined {
  // The casts are safe: each kind comes with the argument of its check.
  try {
    if (kind === 'input') {
      const { fields, input } = given as Parameters<Checks['input']>[0]
      return small.input(fields, input)
    }
    if (kind !== 'output') return undefined
    const { fields, output } = given as Parameters<Checks['output']>[0]
    return small.output(fields, output)
  } catch {
    return undefined
  }
}

interface ThreadPool {
  /** Starts waiting checks while threads are free. */
  start(): void
  end(): Promise<void>
}

/**
 * A pool of threads that start with the first checks. Each thread runs one check at a time, and no two run checks of the
 * same owner.
 */
function createThreadPool(
  clock: Clock,
  by: { readonly size: number; readonly timeoutMs: number; readonly queue: FairQueue<Waiting> },
): ThreadPool {
  const idle: CheckThread[] = []
  const all = new Set<CheckThread>()
  const busyOwners = new Set<string>()
  const start = (): void => {
    while (idle.length > 0 || all.size < by.size) {
      const next = by.queue.next(owner => !busyOwners.has(owner))
      if (next === undefined) return
      const thread = idle.pop() ?? startCheckThread()
      all.add(thread)
      busyOwners.add(next.owner)
      void check(thread, next)
    }
  }
  const check = async (thread: CheckThread, { order, owner, resolve, reject }: Waiting): Promise<void> => {
    try {
      const report = await inTime(clock, by.timeoutMs, thread.run(order))
      idle.push(thread)
      if (report.ok) resolve(report.result)
      else reject(new CheckFailed(`cannot be checked: ${report.error}`))
    } catch (error) {
      // A new thread replaces this one with the next check.
      all.delete(thread)
      await thread.end()
      reject(
        error instanceof CheckFailed ? error : new CheckFailed('takes too much to check', { cause: error }),
      )
    } finally {
      busyOwners.delete(owner)
      start()
    }
  }
  return {
    start,
    async end() {
      await Promise.all([...all].map(thread => thread.end()))
    },
  }
}

async function inTime<T extends object>(clock: Clock, timeoutMs: number, checking: Promise<T>): Promise<T> {
  const checked = await within(clock, timeoutMs, checking)
  if (checked === undefined) throw new CheckFailed('takes too long to check')
  return checked
}
