import { systemClock } from '@farebox/protocol/time/clock'

/** The total time for which one check waits for the agent, however many requests it sends. */
export interface CheckTimeout {
  /** Restarts the time for the next check. */
  renew(): void
  /** The milliseconds left for this check, never below zero. */
  leftMs(): number
  /** Runs `wait` without counting its time: a job may take as long as its agent declares. */
  apart<T>(wait: () => Promise<T>): Promise<T>
}

/** Creates a timeout on the machine's own clock, because a fake clock might never expire. */
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
