import type { Clock } from '@farebox/protocol/time/clock'

/** How soon the database is asked again for work that is due. */
export interface PollPace {
  /** There is work, or was just now. */
  busy(): void
  /** Milliseconds until the next question. */
  pauseMs(): number
}

/** So long after the last work the questions become slower: what was under way has been done or is due much later. */
const QUIET_AFTER_MS = 5_000

/**
 * Asks every `pollMs` while there is work, and every `idleMs` once there was none for five seconds. What this process
 * writes itself is notified, so that only the work of others and of times that have come is found so late.
 */
export function createPollPace(
  clock: Pick<Clock, 'nowMs'>,
  { pollMs, idleMs }: { readonly pollMs: number; readonly idleMs: number },
): PollPace {
  let busyMs = clock.nowMs()
  return {
    busy() {
      busyMs = clock.nowMs()
    },
    pauseMs: () => (clock.nowMs() - busyMs < QUIET_AFTER_MS ? pollMs : idleMs),
  }
}
