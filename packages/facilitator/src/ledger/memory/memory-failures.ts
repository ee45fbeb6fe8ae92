import type { PayerFailureLimits } from '../ledger.ts'
import type { Conclusion } from '../settlement-ledger.ts'
import type { MemoryPayment, MemoryTables } from './memory-tables.ts'

/** The most failures with one owner that count for all owners. */
const COUNTED_OF_OWNER = 2

/** Until when this owner may not hold a payment of this payer; undefined when it may. */
export function barringEnd(
  { payerFailures, sponsorships }: MemoryTables,
  { network, payer, owner }: { readonly network: string; readonly payer: string; readonly owner: string },
  { failuresAllowed, barredSeconds }: PayerFailureLimits,
  nowSeconds: number,
): number | undefined {
  const own = payerFailures.get(`${network} ${payer} ${owner}`)?.barredUntil ?? 0
  const recent = [...payerFailures.values()].filter(
    pair =>
      pair.network === network &&
      pair.payer === payer &&
      pair.failedAt > nowSeconds - barredSeconds &&
      sponsorships.get(pair.owner)?.sponsorship !== 'unlisted',
  )
  const failures = recent.reduce((sum, pair) => sum + Math.min(pair.failures, COUNTED_OF_OWNER), 0)
  const all = failures >= failuresAllowed ? Math.max(...recent.map(pair => pair.failedAt)) + barredSeconds : 0
  const end = Math.max(own, all)
  return end > nowSeconds ? end : undefined
}

/** Counts failures; one settled payment clears all failures of its payer with its owner. */
export function countFailures(
  { payerFailures }: MemoryTables,
  changed: readonly { readonly row: MemoryPayment; readonly conclusion: Conclusion }[],
  { failuresAllowed, barredSeconds }: PayerFailureLimits,
  nowSeconds: number,
): void {
  const pairOf = (row: MemoryPayment): string => `${row.network} ${row.authorization.from} ${row.owner}`
  const settled = new Set(
    changed.filter(({ conclusion }) => conclusion.to === 'settled').map(({ row }) => pairOf(row)),
  )
  for (const pair of settled) payerFailures.delete(pair)
  for (const { row, conclusion } of changed) {
    const pair = pairOf(row)
    if (conclusion.to !== 'failed' || !conclusion.blamed || settled.has(pair)) continue
    const failures = (payerFailures.get(pair)?.failures ?? 0) + 1
    payerFailures.set(pair, {
      network: row.network,
      payer: row.authorization.from,
      owner: row.owner,
      failures,
      failedAt: nowSeconds,
      barredUntil: failures >= failuresAllowed ? nowSeconds + barredSeconds : 0,
    })
  }
}
