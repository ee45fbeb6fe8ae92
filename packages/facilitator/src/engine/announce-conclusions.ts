import { dropsOthers, type Conclusion } from '../ledger/settlement-ledger.ts'
import { shortKey } from '../ledger/signals.ts'
import type { SettlementWaiters } from './settlement-waiters.ts'

/** Notifies the waiters of settlements that were concluded in this process. */
export function announceConclusions(waiters: SettlementWaiters, conclusions: readonly Conclusion[]): void {
  for (const conclusion of conclusions) {
    const { key, to } = conclusion
    if (to === 'settled') waiters.announce(key, { kind: to, transaction: conclusion.transaction })
  }
  // Only the row shows whether a failure is final, so the waiters read it.
  const failed = conclusions.filter(({ to }) => to === 'failed').map(({ key }) => shortKey(key))
  if (failed.length > 0) waiters.lookAgain(conclusions.some(dropsOthers) ? undefined : failed)
}
