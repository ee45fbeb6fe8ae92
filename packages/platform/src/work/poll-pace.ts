import type { Clock } from '@farebox/protocol/time/clock'

/** Determines how soon the database is polled again for due work. */
export interface PollPace {
  /** Records that there is work, or was just now. */
  busy(): void
  /** Milliseconds until the next poll. */
  pauseMs(): number
}

/** Polling slows down this long after the last work: by then, work in progress has ended or is due much later. */
const QUIET_AFTER_MS = 5_000

/**
 * Polls every `pollMs` while there is work, and every `idleMs` after five seconds without any. Work written by this
 * process is announced by a notifier, so only work of other processes and scheduled work is found later.
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
