import type { Clock } from '@farebox/server/clock'

/** Settlements that were told and are not written down yet (decision 69): what the ledger says of their payers is late. */
export interface ToldPayments {
  told(key: string): void
  written(key: string): void
  /** Is one of this payer, lower-case address, among them? */
  isOf(payer: string): boolean
}

/** What is not written by then is for the ledger alone to say. */
const LATE_MS = 10_000

/** Makes the list of one process. */
export function createToldPayments(clock: Clock): ToldPayments {
  const toldAtMs = new Map<string, number>()
  return {
    told(key) {
      const nowMs = clock.nowMs()
      for (const [other, atMs] of toldAtMs) {
        if (Math.abs(nowMs - atMs) <= LATE_MS) break
        toldAtMs.delete(other)
      }
      if (!toldAtMs.has(key)) toldAtMs.set(key, nowMs)
    },
    written: key => void toldAtMs.delete(key),
    isOf: payer =>
      [...toldAtMs].some(
        ([key, atMs]) => key.split(':')[2] === payer && Math.abs(clock.nowMs() - atMs) <= LATE_MS,
      ),
  }
}
