/** A worker that lived so long did not die of its start. */
const AT_ONCE_MS = 5_000
/** So many in a row that die at once, and the next would too. */
const MAX_AT_ONCE = 5
const FIRST_PAUSE_MS = 100
const LONGEST_PAUSE_MS = 5_000

/** How fast workers that died are replaced. */
export interface RestartPace {
  /** Milliseconds to wait before the next one; undefined where there should be none. `livedMs`: of the one that died. */
  next(livedMs: number): number | undefined
}

/** Makes the pace of one command: soon at first, slower each time in a row, and not for ever. */
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
