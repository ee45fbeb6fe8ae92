import { systemClock } from '@farebox/protocol/time/clock'

/** How long one check waits for the agent in all, however many answers it asks for. */
export interface CheckTimeout {
  /** The next check begins. */
  renew(): void
  /** Milliseconds left of this check, never below zero. */
  leftMs(): number
  /** What `wait` takes does not count: a job may take the time that its agent declares. */
  apart<T>(wait: () => Promise<T>): Promise<T>
}

/** Makes one; on the machine's own clock, because a fake one would never let go. */
export function createCheckTimeout(timeoutMs: number): CheckTimeout {
  let untilMs = systemClock.nowMs() + timeoutMs
  return {
    renew() {
      untilMs = systemClock.nowMs() + timeoutMs
    },
    leftMs: () => Math.max(0, untilMs - systemClock.nowMs()),
    async apart(wait) {
      const fromMs = systemClock.nowMs()
      try {
        return await wait()
      } finally {
        untilMs += systemClock.nowMs() - fromMs
      }
    },
  }
}
