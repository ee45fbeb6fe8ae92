/** A worker that lived this long did not fail at its start. */
const AT_ONCE_MS = 5_000
/** After this many consecutive failed starts, the next one would fail as well. */
const MAX_AT_ONCE = 5
const FIRST_PAUSE_MS = 100
const LONGEST_PAUSE_MS = 5_000

/** The delay with which ended workers are replaced. */
export interface RestartPace {
  /**
   * Milliseconds to wait before the next start; undefined to give up. `livedMs` is the lifetime of the worker that
   * ended.
   */
  next(livedMs: number): number | undefined
}

/** Makes the pace of one command: short delays at first, longer ones after consecutive failures, and finally none. */
export function createRestartPace(): RestartPace {
  let atOnce = 0
  return {
    next(livedMs) {
      atOnce = livedMs < AT_ONCE_MS ? atOnce + 1 : 0
      if (atOnce > MAX_AT_ONCE) return undefined
      return Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.max(0, atOnce - 1))
    },
  }
}
