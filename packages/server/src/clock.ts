/**
 * Time, as everything here that depends on it is given it: a test or a simulator brings its own.
 *
 * @example
 * ```ts
 * import type { Clock } from '@farebox/server/clock'
 *
 * // A clock that a test moves on: whoever sleeps wakes at once, and so much later.
 * export function createTestClock(nowMs: number): Clock {
 *   return {
 *     nowMs: () => nowMs,
 *     sleep: async ms => {
 *       nowMs += ms
 *       await Promise.resolve()
 *     },
 *   }
 * }
 * ```
 */
export interface Clock {
  /** Milliseconds since 1970. */
  nowMs(): number
  /** Resolves after so many milliseconds, at once when `signal` aborts; never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}

/** The machine's own clock. */
export const systemClock: Clock = {
  nowMs: () => Date.now(),
  sleep: (ms, signal) =>
    new Promise(resolve => {
      if (signal?.aborted === true) {
        resolve()
        return
      }
      const end = (): void => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', end)
        resolve()
      }
      const timer = setTimeout(end, ms)
      signal?.addEventListener('abort', end, { once: true })
    }),
}

/** The clock in whole Unix seconds, as the chain counts. */
export function nowSeconds(clock: Clock): number {
  return Math.floor(clock.nowMs() / 1_000)
}
