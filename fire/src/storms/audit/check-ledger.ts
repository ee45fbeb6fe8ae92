import { authorizationKey, type ChainRecord } from './read-chain.ts'
import type { LedgerRow } from './read-ledger.ts'

/** States in which a payment was not charged and, without its agent, will not be. */
const UNCHARGED = new Set(['held', 'released', 'expired', 'failed'])

/** The ledger is the chain, row by row (I7): what moved is settled, as it moved, and nothing else is. */
export function checkLedger(rows: readonly LedgerRow[], { payments }: ChainRecord): readonly string[] {
  const findings: string[] = []
  const keys = new Set<string>()
  for (const row of rows) {
    const key = authorizationKey(row)
    keys.add(key)
    const payment = payments.get(key)
    if (payment === undefined) {
      if (!UNCHARGED.has(row.state))
        findings.push(`the ledger has ${key} as ${row.state}, the chain has nothing`)
      continue
    }
    if (
      row.state !== 'settled' ||
      row.transaction.toLowerCase() !== payment.transaction ||
      row.blockNumber !== payment.blockNumber ||
      row.valueAtomic !== payment.valueAtomic ||
      row.payTo !== payment.to
    ) {
      findings.push(
        `the ledger has ${key} as ${row.state} in ${row.transaction || 'no transaction'}, block ${row.blockNumber}; ` +
          `the chain has it in ${payment.transaction}, block ${payment.blockNumber}`,
      )
    }
  }
  for (const [key, { transaction }] of payments) {
    if (!keys.has(key)) findings.push(`the chain has ${key} in ${transaction}, the ledger has no row`)
  }
  return findings
}
