import { dropsOthers, type Conclusion } from '../ledger/settlement-ledger.ts'
import { shortKey } from '../ledger/signals.ts'
import type { SettlementWaiters } from './settlement-waiters.ts'

/** Notifies the waiters of a settlement of what was concluded in this process. */
export function announceConclusions(waiters: SettlementWaiters, conclusions: readonly Conclusion[]): void {
  for (const conclusion of conclusions) {
    const { key, to } = conclusion
    if (to === 'settled') waiters.announce(key, { kind: to, transaction: conclusion.transaction })
  }
  // Whether a failure is final is for the row to say.
  const failed = conclusions.filter(({ to }) => to === 'failed').map(({ key }) => shortKey(key))
  if (failed.length > 0) waiters.lookAgain(conclusions.some(dropsOthers) ? undefined : failed)
}
