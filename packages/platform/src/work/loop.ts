import { setMaxListeners } from 'node:events'
import { sleep, type Clock } from '@farebox/protocol/time/clock'
import type { Notifier } from './notifier.ts'

/** Work that goes on by itself, such as the monitor's rounds. */
export interface Background {
  /** Ends what is running, in order. Safe to call twice. */
  stop(): Promise<void>
}

/** Work that is done pass by pass. */
export interface Loop {
  /** Resolves to true where the next pass is to begin at once. */
  pass(signal: AbortSignal): Promise<unknown>
  /** From the end of a pass to the beginning of the next, in milliseconds. */
  readonly pauseMs: number | (() => number)
  /** Ends a pause early. */
  readonly due?: Notifier
  /** From then on so long until the pass; default 0. */
  readonly gatherMs?: number | undefined
  /** Up to here the pause doubles with each failure in a row; by default it does not. */
  readonly longestPauseMs?: number
  /** @param failures in a row, this one included */
  onFailure(error: unknown, failures: number): void
}

/** Begins loops side by side, each with a pass at once. A pass that fails is reported, and followed by the next. */
export function startLoops(
  clock: Pick<Clock, 'after'>,
  loops: readonly Loop[],
  stopping = new AbortController(),
): Background {
  // All that is under way may listen to it.
  setMaxListeners(0, stopping.signal)
  const running = Promise.all(loops.map(loop => runLoop(clock, loop, stopping.signal)))
  return {
    async stop() {
      stopping.abort()
      await running
    },
  }
}

async function runLoop(clock: Pick<Clock, 'after'>, loop: Loop, signal: AbortSignal): Promise<void> {
  const { pauseMs, due, gatherMs = 0, longestPauseMs = 0 } = loop
  for (let failures = 0; !signal.aborted;) {
    try {
      const isMore = await loop.pass(signal)
      failures = 0
      if (isMore === true) continue
    } catch (error) {
      failures += 1
      loop.onFailure(error, failures)
    }
    const usualMs = typeof pauseMs === 'number' ? pauseMs : pauseMs()
    const grownMs = usualMs * 2 ** Math.min(10, Math.max(0, failures - 1))
    const waitMs = Math.max(usualMs, Math.min(longestPauseMs, grownMs))
    // A notification does not end the pause after a failure: it is kept for the wait after that.
    if (due === undefined || failures > 0) await sleep(clock, waitMs, signal)
    else await due.wait(waitMs, signal)
    if (gatherMs > 0) await sleep(clock, gatherMs, signal)
  }
}
