import type { VirtualTime } from './virtual-time.ts'

/**
 * A process: it has a clock of its own, which may be wrong, and it may stop for a while or for good. What a
 * dead one waits for never comes, and what it still sends goes nowhere.
 */
export type VirtualProcess = ReturnType<typeof startProcess>

/** Starts a process whose clock is so far ahead. */
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
  /** One that came due during a pause can still be cancelled when the process goes on. */
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
  // No getter: V8 gives every object with one a hidden class of its own, which keeps alive all that the getter
  // reaches, here the whole history, until a full collection.
  const process = {
    name,
    isAlive: true,
    nowMs: (): number => time.nowMs() + aheadMs,
    after,
    /** Something has arrived for it: now, or when it goes on, or never. */
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
    /** Its clock is set, so much later or earlier; its timers are not. */
    setClock(byMs: number): void {
      aheadMs += byMs
    },
    /** Calls back whenever it stops for a while. */
    onPause: (callback: () => void): void => void watchers.push(callback),
    /** Does nothing for so long, as in a long garbage collection. */
    pause(durationMs: number): void {
      for (const tell of watchers) tell()
      pausedUntilMs = Math.max(pausedUntilMs, time.nowMs() + durationMs)
    },
  }
  return process
}

/** Waits for work of a process at most so long; rejects with a `TimeoutError`, as an aborted request does. */
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
