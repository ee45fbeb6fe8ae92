import { availableParallelism } from 'node:os'
import { within } from '@farebox/protocol/internal/time/within'
import type { Clock } from '@farebox/protocol/time/clock'
import { startCheckThread, type CheckThread } from './check-thread.ts'
import type { CheckOrder } from './check-messages.ts'
import type { Checks } from './checks.ts'
import { createFairQueue, type FairQueue } from '../work/fair-queue.ts'
import { createSmallChecks, type SmallChecks, type SmallVerdict } from './small-checks.ts'

/** Checks what untrusted hosts declare and send, away from the event loop (D42). */
export interface Checker {
  /**
   * Runs one check: of an input or an output that is soon checked, at once, and all others in a thread. Checks of one owner
   * run one after the other, and owners take turns: an agent whose patterns are slow delays its own orders.
   *
   * @param owner whose declaration makes the check costly: `agent 7`, an endpoint
   * @throws {CheckFailed} where it takes too long or too much memory, or where too many wait already
   */
  run<K extends keyof Checks>(
    kind: K,
    given: Parameters<Checks[K]>[0],
    owner: string,
  ): Promise<ReturnType<Checks[K]>>
  /** Ends the threads; checks under way are rejected. */
  close(): Promise<void>
}

/** A check that gave no verdict. */
export class CheckFailed extends Error {
  override readonly name = 'CheckFailed'
}

/** What a checker is made with; all of it has defaults. */
export interface CheckerOptions {
  readonly clock: Clock
  readonly threads?: number
  /** Steps are bounded, so this ends only what is wrong with the thread itself; the start of the thread included. */
  readonly timeoutMs?: number
}

const TIMEOUT_MS = 30_000
/** No owner has more than this part of the places that are left. */
const PART_OF_LEFT = 2
const MOST_WAITING = 256

interface Waiting {
  readonly order: CheckOrder
  readonly owner: string
  resolve(result: unknown): void
  reject(error: CheckFailed): void
}

/**
 * Makes a checker; its threads start with the first checks.
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
          // What a thread answers to a kind is what the kind's check returns.
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

/** Undefined where it is for a thread: another kind, what is large, or a schema that cannot be compiled. */
function checkAtOnce<K extends keyof Checks>(
  small: SmallChecks,
  kind: K,
  given: Parameters<Checks[K]>[0],
): SmallVerdict | undefined {
  // Each kind comes with what its check takes.
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
  /** Begins what waits, as far as there are threads for it. */
  start(): void
  end(): Promise<void>
}

/** Threads that start with the first checks, each at one check at a time, of one owner no two. */
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
      // Another thread takes its place with the next check.
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
