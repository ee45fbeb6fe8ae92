import { type Clock, sleep } from '@farebox/protocol/time/clock'
import { createPassNotifier } from './notifier.ts'

/**
 * When the next transaction goes while others are in flight: a full one at once, any other at the next eighth of a
 * block, so that the slots of a block are not used up at its beginning by transactions that carry little.
 */
export interface BatchTiming {
  /** Another payment waits. */
  captured(): void
  /** A transaction ended: those whose payments it carried are about to come with the next. */
  ended(): void
  /** A transaction went with so many payments; `more` where as much as it could carry was left waiting. */
  sent(payments: number, more: boolean): void
  /** Several went together a moment ago: who comes first now is not the only one for long. */
  hasCompany(): boolean
  /**
   * Resolves when the next should go, or when `signal` aborts; never rejects.
   *
   * @param blockMs - 0 where nothing is in flight: there is no slot to save then
   */
  wait(blockMs: number, signal: AbortSignal): Promise<void>
}

/** The parts a block is divided into. */
const PARTS = 8
/**
 * Agents whose answers come together ask again together: so long they may take to join those who waited. Who finds
 * nobody waiting and nothing in flight goes at once.
 */
const REJOIN_MS = 10
/** So long after a transaction with several payments others are about to come. */
const COMPANY_MS = 250

/** Gathers payments until as many wait as one transaction carries. */
export function createBatchTiming(clock: Clock, full: number): BatchTiming {
  const notifier = createPassNotifier(clock)
  let [waiting, sentAtMs] = [0, Number.NEGATIVE_INFINITY]
  let companyAtMs = Number.NEGATIVE_INFINITY
  return {
    captured() {
      waiting += 1
      if (waiting >= full) notifier.notify()
    },
    ended: () => notifier.notify(),
    hasCompany() {
      const sinceMs = clock.nowMs() - companyAtMs
      // Below zero where the clock was set back.
      return sinceMs >= 0 && sinceMs < COMPANY_MS
    },
    sent(payments, more) {
      waiting = more ? full : 0
      sentAtMs = clock.nowMs()
      if (payments > 1) companyAtMs = sentAtMs
      notifier.reset()
    },
    async wait(blockMs, signal) {
      const slotMs = blockMs / PARTS
      // No longer than that either where the clock was set back.
      const leftMs = Math.min(slotMs, sentAtMs + slotMs - clock.nowMs())
      if (leftMs > 0 && waiting < full) await notifier.wait(leftMs, signal)
      if (waiting < full) await sleep(clock, REJOIN_MS, signal)
    },
  }
}
