import { type Clock, sleep } from '@farebox/protocol/time/clock'
import { createPassNotifier } from './notifier.ts'

/**
 * Decides when the next transaction is sent while others are in flight: a full one at once, any other at the next eighth of
 * a block, so that the slots of a block are not used up at its beginning by transactions with few payments.
 */
export interface BatchTiming {
  /** Called when another payment waits. */
  captured(): void
  /** Called when a transaction ended: the callers of its payments are about to send their next ones. */
  ended(): void
  /** Called when a transaction with this many payments was sent; `more` if another full one is left waiting. */
  sent(payments: number, more: boolean): void
  /** Was a transaction with several payments sent a moment ago? Then more payments are about to arrive. */
  hasCompany(): boolean
  /**
   * Resolves when the next should go, or when `signal` aborts; never rejects.
   *
   * @param blockMs - 0 when nothing is in flight: there is no slot to save then
   */
  wait(blockMs: number, signal: AbortSignal): Promise<void>
}

/** The slots of a block. */
const PARTS = 8
/**
 * Agents whose responses arrive together send their next requests together: this is the time they get to join the payments
 * that wait. A payment with none waiting and none in flight is sent at once.
 */
const REJOIN_MS = 10
/** For this long after a transaction with several payments, more payments are expected. */
const COMPANY_MS = 250

/** Gathers payments until a full transaction waits. */
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
      // Negative when the clock was set back.
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
      // Limited to one slot also when the clock was set back.
      const leftMs = Math.min(slotMs, sentAtMs + slotMs - clock.nowMs())
      if (leftMs > 0 && waiting < full) await notifier.wait(leftMs, signal)
      if (waiting < full) await sleep(clock, REJOIN_MS, signal)
    },
  }
}
