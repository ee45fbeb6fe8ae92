import type { Clock } from '@farebox/protocol/time/clock'

/**
 * Settlements reported to their callers and not yet recorded (decision 69): until they are, the ledger is behind for their
 * payers.
 */
export interface ReportedSettlements {
  reported(key: string): void
  recorded(key: string): void
  /** Is there one of this payer, lower-case address? */
  isOf(payer: string): boolean
}

/** After this time the ledger alone counts, whether or not the settlement is recorded. */
const LATE_MS = 10_000

/** Creates the list of one process. */
export function createReportedSettlements(clock: Clock): ReportedSettlements {
  const reportedAtMs = new Map<string, number>()
  return {
    reported(key) {
      const nowMs = clock.nowMs()
      for (const [other, atMs] of reportedAtMs) {
        if (Math.abs(nowMs - atMs) <= LATE_MS) break
        reportedAtMs.delete(other)
      }
      if (!reportedAtMs.has(key)) reportedAtMs.set(key, nowMs)
    },
    recorded: key => void reportedAtMs.delete(key),
    isOf: payer =>
      [...reportedAtMs].some(
        ([key, atMs]) => key.split(':')[2] === payer && Math.abs(clock.nowMs() - atMs) <= LATE_MS,
      ),
  }
}
