import type { Clock } from '../clock.ts'
import type { PaymentLedger } from '../ledger/payment-ledger.ts'

/** How a settlement ended, for those who wait for it. */
export type SettlementEnd =
  | { readonly kind: 'settled'; readonly transaction: string }
  | {
      readonly kind: 'failed'
      readonly reason: string
      readonly message: string
      readonly transaction: string
    }

/** Those who wait for payments they have just captured, or found captured, to be decided. */
export interface SettlementWaiters {
  /** Resolves with the end, or undefined when none came in time. Rejects only when the ledger does. */
  wait(key: string, timeoutMs: number): Promise<SettlementEnd | undefined>
  /** Tells those who wait for this payment. */
  announce(key: string, end: SettlementEnd): void
  /** Another process concluded something: everybody who waits looks for themselves. */
  lookAgain(): void
}

/**
 * Without a word the ledger is asked, soon and then this often: the process that settles may be another one.
 */
const FIRST_LOOK_MS = 250
const SLOWEST_LOOK_MS = 1_000

interface Waiter {
  end: SettlementEnd | undefined
  wake: () => void
}

/** Makes the waiting room over a ledger. */
export function createSettlementWaiters(ledger: PaymentLedger, clock: Clock): SettlementWaiters {
  const waiting = new Map<string, Set<Waiter>>()
  const wakeAll = (waiters: Iterable<Waiter>): void => {
    for (const waiter of waiters) waiter.wake()
  }
  return {
    async wait(key, timeoutMs) {
      const giveUpAtMs = clock.nowMs() + timeoutMs
      const waiter: Waiter = { end: undefined, wake: () => undefined }
      const others = waiting.get(key) ?? new Set()
      waiting.set(key, others.add(waiter))
      try {
        for (let lookMs = FIRST_LOOK_MS; ; lookMs = Math.min(lookMs * 2, SLOWEST_LOOK_MS)) {
          await sleepUntilWoken(clock, waiter, Math.min(giveUpAtMs - clock.nowMs(), lookMs))
          const end = waiter.end ?? (await readEnd(ledger, key))
          if (end !== undefined || clock.nowMs() >= giveUpAtMs) return end
        }
      } finally {
        others.delete(waiter)
        if (others.size === 0) waiting.delete(key)
      }
    },
    announce(key, end) {
      const waiters = waiting.get(key) ?? []
      for (const waiter of waiters) waiter.end = end
      wakeAll(waiters)
    },
    lookAgain() {
      for (const waiters of waiting.values()) wakeAll(waiters)
    },
  }
}

async function sleepUntilWoken(clock: Clock, waiter: Waiter, ms: number): Promise<void> {
  if (waiter.end !== undefined) return
  const woken = new AbortController()
  waiter.wake = () => woken.abort()
  await clock.sleep(ms, woken.signal)
}

async function readEnd(ledger: PaymentLedger, key: string): Promise<SettlementEnd | undefined> {
  const [record] = await ledger.find([key])
  if (record?.state === 'settled') return { kind: 'settled', transaction: record.transaction }
  if (record?.state === 'failed' && record.failure !== undefined) {
    return { kind: 'failed', ...record.failure, transaction: record.transaction }
  }
  return undefined
}
