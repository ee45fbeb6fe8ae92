import { setMaxListeners } from 'node:events'
import { sleep, type Clock } from '@farebox/protocol/time/clock'
import type { Notifier } from './notifier.ts'

/** Work in the background, such as the rounds of the monitor. */
export interface Background {
  /** Stops the work after finishing what is in progress. It may be called twice. */
  stop(): Promise<void>
}

/** Work that is done in repeated passes. */
export interface Loop {
  /** Resolves to true when the next pass is to begin at once. */
  pass(signal: AbortSignal): Promise<unknown>
  /** The time between the end of a pass and the beginning of the next, in milliseconds. */
  readonly pauseMs: number | (() => number)
  /** Ends a pause early. */
  readonly due?: Notifier
  /** The time in milliseconds to wait after each pause before the pass begins; default 0. */
  readonly gatherMs?: number | undefined
  /** The pause doubles with each consecutive failure, up to this limit; by default it does not grow. */
  readonly longestPauseMs?: number
  /**
   * Reports a failed pass.
   *
   * @param failures - consecutive failures, including this one
   */
  onFailure(error: unknown, failures: number): void
}

/** Starts loops concurrently, each with a pass at once. A pass that fails is reported; the loop continues. */
export function startLoops(
  clock: Pick<Clock, 'after'>,
  loops: readonly Loop[],
  stopping = new AbortController(),
): Background {
  // All work in progress may add a listener to this signal.
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
    // A notification does not end the pause after a failure; it takes effect at the next wait.
    if (due === undefined || failures > 0) await sleep(clock, waitMs, signal)
    else await due.wait(waitMs, signal)
    if (gatherMs > 0) await sleep(clock, gatherMs, signal)
  }
}
