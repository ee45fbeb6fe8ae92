import type { Clock } from '@farebox/protocol/time/clock'
import { describeThrown } from '../handler/describe-thrown.ts'
import { logStray } from '../handler/handler-failure.ts'
import type { Log } from '../log.ts'
import type { Guard } from './orphan-guard.ts'
import { endSlot, openSlot, inspectSlot, type PoolSlot } from './pool-slot.ts'
import { hasRoom, type PoolLimits } from './pool-limits.ts'
import type { LoadCommand } from './handler-messages.ts'
import { startHandlerProcess, type HandlerProcess } from './handler-process.ts'

/** A pool of handler processes, which starts them in advance and replaces them. */
export interface ProcessPool {
  /** Settles with the first process; rejects when it cannot load the handlers. */
  readonly started: Promise<void>
  /**
   * Reserves a process for one job. Resolves to undefined when the signal aborts first, when no process can be started,
   * and when the pool is closed.
   */
  acquire(signal: AbortSignal): Promise<HandlerProcess | undefined>
  /** Kills all processes. */
  close(): Promise<void>
}

/** The parts of a pool. */
export interface ProcessPoolParts {
  readonly command: LoadCommand
  readonly limits: PoolLimits
  readonly guard: Guard
  readonly clock: Clock
  readonly log: Log
}

/** A process above the minimum number is ended after it has been idle for this long. */
const IDLE_MS = 30_000
const CHECK_EVERY_MS = 100
const FIRST_PAUSE_MS = 500
const LONGEST_PAUSE_MS = 30_000

interface PoolState extends ProcessPoolParts {
  readonly slots: Set<PoolSlot>
  readonly waiting: Set<(handlerProcess: HandlerProcess | undefined) => void>
  /** No other process is started before the first one has loaded, so that an error of the handlers is reported once. */
  hasLoaded: boolean
  isClosed: boolean
  /** The number of consecutive failed starts, and below it the time until which none is tried. */
  failures: number
  pausedUntilMs: number
  cancelCheck: (() => void) | undefined
  cancelRetry: (() => void) | undefined
}

/** Makes the pool and starts the first process; the others are started when it has loaded the handlers. */
export function createProcessPool(parts: ProcessPoolParts): ProcessPool {
  const pool: PoolState = {
    ...parts,
    slots: new Set(),
    waiting: new Set(),
    hasLoaded: false,
    isClosed: false,
    failures: 0,
    pausedUntilMs: 0,
    cancelCheck: undefined,
    cancelRetry: undefined,
  }
  return {
    started: start(pool).loaded,
    acquire: signal => acquireProcess(pool, signal),
    async close() {
      pool.isClosed = true
      pool.cancelCheck?.()
      pool.cancelRetry?.()
      refuseWaiting(pool)
      const all = [...pool.slots]
      for (const slot of all) endSlot(slot, 'the agent stops')
      await Promise.all(all.map(slot => slot.process.ended))
    },
  }
}

function acquireProcess(pool: PoolState, signal: AbortSignal): Promise<HandlerProcess | undefined> {
  return new Promise(resolve => {
    const isHopeless = living(pool).length === 0 && pool.clock.nowMs() < pool.pausedUntilMs
    if (pool.isClosed || signal.aborted || isHopeless) return resolve(undefined)
    const give = (handlerProcess: HandlerProcess | undefined): void => {
      pool.waiting.delete(give)
      signal.removeEventListener('abort', giveUp)
      resolve(handlerProcess)
    }
    const giveUp = (): void => give(undefined)
    signal.addEventListener('abort', giveUp)
    pool.waiting.add(give)
    balance(pool)
  })
}

/** Assigns free processes to waiting jobs, and starts missing processes, so that one is always free. */
function balance(pool: PoolState): void {
  const { waiting, limits, clock } = pool
  if (pool.isClosed) return
  for (const give of waiting) {
    const slot = living(pool, 'free').at(-1)
    if (slot === undefined) break
    slot.state = 'taken'
    slot.cpuMsBefore = undefined
    give(slot.process)
  }
  const missing = (): number =>
    waiting.size + 1 - living(pool, 'loading').length - living(pool, 'free').length
  while ((living(pool).length < limits.fewest || missing() > 0) && mayStart(pool)) start(pool)
  // Code that a job left running may continue as long as its slot is not needed.
  const [oldest] = living(pool, 'lingering')
  if (oldest !== undefined && missing() > 1 && isFull(pool)) endSlot(oldest, 'its slot is needed')
  pool.cancelCheck ??= clock.after(CHECK_EVERY_MS, () => check(pool))
}

function mayStart(pool: PoolState): boolean {
  const { limits, clock, hasLoaded, isClosed, pausedUntilMs } = pool
  if (!hasLoaded || isClosed || clock.nowMs() < pausedUntilMs) return false
  return living(pool, 'loading').length < limits.mostStarting && !isFull(pool)
}

function isFull(pool: PoolState): boolean {
  const { limits } = pool
  const count = living(pool).length
  return count >= limits.fewest && (count >= limits.most || !hasRoom(limits))
}

function start(pool: PoolState): HandlerProcess {
  const { slots, clock, log } = pool
  const handlerProcess = startHandlerProcess(pool, {
    onJobOver: clean => change(pool, slot, clean ? 'free' : 'lingering'),
    onClean: () => void (slot.state === 'lingering' && change(pool, slot, 'free')),
    onStray(failure, jobId) {
      slot.isSpoiled = true
      logStray(log, failure, jobId)
    },
  })
  const slot = openSlot(handlerProcess, clock.nowMs())
  slots.add(slot)
  handlerProcess.loaded.then(
    () => {
      pool.hasLoaded = true
      pool.failures = 0
      change(pool, slot, 'free')
    },
    (error: unknown) => failToLoad(pool, slot, error),
  )
  void handlerProcess.ended.then(() => {
    slots.delete(slot)
    balance(pool)
  })
  return handlerProcess
}

function change(pool: PoolState, slot: PoolSlot, state: 'free' | 'lingering'): void {
  if (slot.state === 'ending') return
  if (slot.isSpoiled) endSlot(slot, 'it takes no further job')
  else {
    slot.state = state
    slot.sinceMs = pool.clock.nowMs()
  }
  balance(pool)
}

function failToLoad(pool: PoolState, slot: PoolSlot, error: unknown): void {
  const { clock, log } = pool
  slot.state = 'ending'
  if (!pool.hasLoaded || pool.isClosed) return
  const pauseMs = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** pool.failures)
  pool.failures += 1
  pool.pausedUntilMs = clock.nowMs() + pauseMs
  log.warn('a handler process could not be started', { reason: describeThrown(error) })
  pool.cancelRetry?.()
  pool.cancelRetry = clock.after(pauseMs, () => balance(pool))
  if (living(pool).length === 0) refuseWaiting(pool)
}

function refuseWaiting({ waiting }: PoolState): void {
  for (const give of waiting) give(undefined)
}

function check(pool: PoolState): void {
  const { limits, clock } = pool
  pool.cancelCheck = undefined
  for (const slot of living(pool)) {
    const nowMs = clock.nowMs()
    const isIdle = slot.state === 'free' && nowMs - slot.sinceMs > IDLE_MS
    const isOneOfMore = living(pool).length > limits.fewest && living(pool, 'free').length > 1
    if (isIdle && isOneOfMore) endSlot(slot, 'it is not needed')
    const why = slot.state === 'free' ? undefined : inspectSlot(slot, nowMs, limits)
    if (why !== undefined) endSlot(slot, why)
  }
  const isQuiet = living(pool).length <= limits.fewest && living(pool, 'free').length === pool.slots.size
  if (!isQuiet) pool.cancelCheck = clock.after(CHECK_EVERY_MS, () => check(pool))
}

function living({ slots }: PoolState, state?: PoolSlot['state']): readonly PoolSlot[] {
  return [...slots].filter(slot => (state === undefined ? slot.state !== 'ending' : slot.state === state))
}
