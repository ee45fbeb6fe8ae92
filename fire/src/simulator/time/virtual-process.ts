import type { VirtualTime } from './virtual-time.ts'

/**
 * A process: it has a clock of its own, which may be wrong, and it may stop for a while or for good. What a
 * dead one waits for never comes, and what it still sends goes nowhere.
 */
export interface VirtualProcess {
  readonly name: string
  readonly isAlive: boolean
  /** Unix milliseconds by its own clock. */
  nowMs(): number
  /** A timer of this process. */
  after(delayMs: number, callback: () => void): () => void
  /** Something has arrived for it: now, or when it goes on, or never. */
  deliver(callback: () => void): void
  /** Dies here and now. */
  crash(): void
  /** Calls back when it dies, unless the returned function is called before. */
  onDeath(callback: () => void): () => void
  /** Calls back whenever it stops for a while. */
  onPause(callback: () => void): void
  /** Its clock is set, so much later or earlier; its timers are not. */
  setClock(byMs: number): void
  /** Does nothing for so long, as in a long garbage collection. */
  pause(durationMs: number): void
}

/** What a process is started with. */
export interface ProcessOptions {
  readonly name: string
  /** How far its clock is ahead. */
  readonly skewMs?: number
}

/** Starts a process. */
export function startProcess(time: VirtualTime, options: ProcessOptions): VirtualProcess {
  const { name } = options
  let { skewMs = 0 } = options
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
  const process: { -readonly [key in keyof VirtualProcess]: VirtualProcess[key] } = {
    name,
    isAlive: true,
    nowMs: () => time.nowMs() + skewMs,
    after,
    deliver: whenGoing,
    crash() {
      if (!process.isAlive) return
      process.isAlive = false
      for (const tell of mourners) tell()
    },
    onDeath(callback) {
      mourners.add(callback)
      return () => void mourners.delete(callback)
    },
    setClock(byMs) {
      skewMs += byMs
    },
    onPause: callback => void watchers.push(callback),
    pause(durationMs) {
      for (const tell of watchers) tell()
      pausedUntilMs = Math.max(pausedUntilMs, time.nowMs() + durationMs)
    },
  }
  return process
}
