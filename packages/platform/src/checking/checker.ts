import { availableParallelism } from 'node:os'
import type { Clock } from '@farebox/server/clock'
import { startCheckThread, type CheckThread } from './check-thread.ts'
import type { CheckOrder } from './check-messages.ts'
import type { Checks } from './checks.ts'
import { createSmallChecks, type Verdict } from './small-checks.ts'

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
 * import { systemClock } from '@farebox/server/clock'
 *
 * const checker = createChecker({ clock: systemClock })
 * const about = await checker.run('about', '{ "name": "Shout" }', 'https://agent.example')
 * console.log(about.ok ? about.declaration.name : about.reason) // is not a valid declaration
 * await checker.close()
 * ```
 */
export function createChecker({ clock, threads, timeoutMs = TIMEOUT_MS }: CheckerOptions): Checker {
  const size = threads ?? Math.max(1, Math.min(2, availableParallelism() - 1))
  const idle: CheckThread[] = []
  const all = new Set<CheckThread>()
  /** By owner, in the order of their turns. */
  const queues = new Map<string, Waiting[]>()
  const busyOwners = new Set<string>()
  let waiting = 0
  let isClosed = false

  const takeNext = (): Waiting | undefined => {
    for (const [owner, queue] of queues) {
      if (busyOwners.has(owner)) continue
      const next = queue.shift()
      queues.delete(owner)
      if (queue.length > 0) queues.set(owner, queue)
      if (next !== undefined) waiting -= 1
      return next
    }
    return undefined
  }

  const start = (): void => {
    while (idle.length > 0 || all.size < size) {
      const next = takeNext()
      if (next === undefined) return
      const thread = idle.pop() ?? startCheckThread()
      all.add(thread)
      busyOwners.add(next.owner)
      void work(thread, next)
    }
  }

  const work = async (thread: CheckThread, { order, owner, resolve, reject }: Waiting): Promise<void> => {
    const over = new AbortController()
    const timedOut = clock.sleep(timeoutMs, over.signal).then(() => 'late' as const)
    try {
      const report = await Promise.race([thread.run(order), timedOut])
      if (report === 'late') throw new CheckFailed('takes too long to check')
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
      over.abort('over')
      busyOwners.delete(owner)
      start()
    }
  }

  const small = createSmallChecks()
  const checkAtOnce = <K extends keyof Checks>(
    kind: K,
    given: Parameters<Checks[K]>[0],
  ): Verdict | undefined => {
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
      // A schema that cannot be compiled: a thread says so, in the words for that.
      return undefined
    }
  }

  return {
    run: (kind, given, owner) =>
      new Promise((resolve, reject) => {
        const verdict = isClosed ? undefined : checkAtOnce(kind, given)
        if (verdict !== undefined) return resolve(verdict.violation as never)
        const queue = queues.get(owner) ?? []
        if (isClosed) return reject(new CheckFailed('is not checked any more: the platform stops'))
        if (queue.length >= Math.floor((MOST_WAITING - waiting) / PART_OF_LEFT))
          return reject(new CheckFailed('cannot be checked now: too many checks wait'))
        queue.push({
          order: { kind, given },
          owner,
          // What a thread answers to a kind is what the kind's check returns.
          resolve: result => resolve(result as never),
          reject,
        })
        queues.set(owner, queue)
        waiting += 1
        start()
      }),
    async close() {
      isClosed = true
      for (const { reject } of [...queues.values()].flat())
        reject(new CheckFailed('is not checked any more: the platform stops'))
      queues.clear()
      await Promise.all([...all].map(thread => thread.end()))
    },
  }
}
