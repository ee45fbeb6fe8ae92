import type { VirtualTime } from './virtual-time.ts'

/**
 * A process: it has its own clock, which may be wrong, and it may stop for a while or for good. A dead process receives
 * nothing, and its messages are dropped.
 */
export type VirtualProcess = ReturnType<typeof startProcess>

/** Starts a process whose clock is ahead by this much. */
export function startProcess(time: VirtualTime, name: string, skewMs = 0) {
  let aheadMs = skewMs
  const mourners = new Set<() => void>()
  const watchers: (() => void)[] = []
  let pausedUntilMs = 0

  const whenGoing = (callback: () => void): void => {
    if (!process.isAlive) return
    const restMs = pausedUntilMs - time.nowMs()
    if (restMs > 0) time.after(restMs, () => whenGoing(callback))
    else callback()
  }
  /** A timer that came due during a pause can still be cancelled when the process resumes. */
  const after = (delayMs: number, callback: () => void): (() => void) => {
    let cancelled = false
    const cancel = time.after(delayMs, () =>
      whenGoing(() => {
        if (!cancelled) callback()
      }),
    )
    return () => {
      cancelled = true
      cancel()
    }
  }
  // Not a getter: V8 gives every object with a getter a hidden class of its own, which retains everything that the
  // getter reaches, here the whole history, until a full collection.
  const process = {
    name,
    isAlive: true,
    nowMs: (): number => time.nowMs() + aheadMs,
    after,
    /** Delivers an arrival to it: now, or when it resumes, or never. */
    deliver: whenGoing,
    sleep: (ms: number): Promise<void> => new Promise(resolve => void after(ms, resolve)),
    crash(): void {
      if (!process.isAlive) return
      process.isAlive = false
      for (const tell of mourners) tell()
    },
    /** Calls back when it dies, unless the returned function is called before. */
    onDeath(callback: () => void): () => void {
      mourners.add(callback)
      return () => void mourners.delete(callback)
    },
    /** Steps its clock by this much; its timers are not affected. */
    setClock(byMs: number): void {
      aheadMs += byMs
    },
    /** Calls back whenever it stops for a while. */
    onPause: (callback: () => void): void => void watchers.push(callback),
    /** Stops for this long, as in a long garbage collection. */
    pause(durationMs: number): void {
      for (const tell of watchers) tell()
      pausedUntilMs = Math.max(pausedUntilMs, time.nowMs() + durationMs)
    },
  }
  return process
}

/** Waits for work of a process for a limited time; rejects with a `TimeoutError`, like an aborted request. */
export function withTimeout<Result>(
  process: VirtualProcess,
  timeoutMs: number,
  work: Promise<Result>,
): Promise<Result> {
  return new Promise((resolve, reject) => {
    const cancel = process.after(timeoutMs, () =>
      reject(new DOMException('no whole answer in time', 'TimeoutError')),
    )
    work.then(
      result => {
        cancel()
        resolve(result)
      },
      (error: unknown) => {
        cancel()
        reject(error)
      },
    )
  })
}
