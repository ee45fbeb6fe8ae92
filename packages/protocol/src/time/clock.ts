import { MAX_TIMER_MS } from '../limits.ts'

/**
 * The time, and a way to schedule a callback. It is injected wherever code waits, so that a test or a simulator can control
 * it.
 *
 * @example
 * ```ts
 * import { systemClock, type Clock } from '@farebox/protocol/time/clock'
 *
 * // The machine's clock, an hour ahead.
 * export const ahead: Clock = { ...systemClock, nowMs: () => systemClock.nowMs() + 3_600_000 }
 * ```
 */
export interface Clock {
  /** Unix milliseconds. */
  nowMs(): number
  /**
   * Runs the callback once after the delay, unless the returned function is called before. The delay may have any length;
   * the callback never runs before this method has returned.
   */
  after(delayMs: number, callback: () => void): () => void
}

/** The part of an `AbortSignal` that is used; every `AbortSignal` fits. */
export interface StopSignal {
  readonly aborted: boolean
  readonly reason?: unknown
  addEventListener(type: 'abort', listener: () => void): void
  removeEventListener(type: 'abort', listener: () => void): void
}

/** Browsers and Node have these globals; this package uses the types of neither. */
const host = globalThis as unknown as {
  setTimeout(callback: () => void, delayMs: number): unknown
  clearTimeout(timer: unknown): void
  readonly performance: { readonly timeOrigin: number; now(): number }
}

/** The system clock. */
export const systemClock: Clock = {
  nowMs: () => Date.now(),
  after(delayMs, callback) {
    let timer: unknown
    const wait = (leftMs: number): void => {
      // A longer timer fires at once (D17), so a long delay is split into several timers.
      timer =
        leftMs > MAX_TIMER_MS
          ? host.setTimeout(() => wait(leftMs - MAX_TIMER_MS), MAX_TIMER_MS)
          : host.setTimeout(callback, Math.max(0, leftMs))
    }
    wait(delayMs)
    return () => host.clearTimeout(timer)
  },
}

/**
 * Unix milliseconds at the start of this process plus the time elapsed since: changing the system clock does not affect it.
 * For lifetimes within one process (D40).
 */
export const steadyClock: Clock = {
  nowMs: () => host.performance.timeOrigin + host.performance.now(),
  after: systemClock.after,
}

/** The clock's time in whole Unix seconds, as the chain counts. */
export function nowSeconds(clock: Pick<Clock, 'nowMs'>): number {
  return Math.floor(clock.nowMs() / 1_000)
}

/** Resolves after the delay, or as soon as the signal aborts. Never rejects. */
export function sleep(clock: Pick<Clock, 'after'>, delayMs: number, signal?: StopSignal): Promise<void> {
  return new Promise(resolve => {
    if (signal?.aborted === true) return resolve()
    const wake = (): void => {
      cancel()
      signal?.removeEventListener('abort', wake)
      resolve()
    }
    const cancel = clock.after(delayMs, wake)
    signal?.addEventListener('abort', wake)
  })
}
