import { authorizationKey } from '../event-log.ts'
import type { Evidence } from './evidence.ts'

/** States in which a payment was not charged and, without its agent, will not be. */
const UNCHARGED = new Set(['held', 'released', 'expired', 'failed'])

/** The ledger is the chain, row by row (I7): what moved is settled, as it moved, and nothing else is. */
export function checkLedger({ ledger, chain }: Evidence): readonly string[] {
  const findings: string[] = []
  const payments = new Map(chain.payments.map(payment => [payment.key, payment]))
  for (const row of ledger) {
    const key = authorizationKey(row.payer, row.nonce)
    const payment = payments.get(key)
    payments.delete(key)
    if (payment === undefined) {
      if (!UNCHARGED.has(row.state))
        findings.push(`the ledger has ${key} as ${row.state}, the chain has nothing`)
      continue
    }
    const had = `${row.state} in ${row.transaction_hash.toLowerCase()}, block ${row.block_number}: ${row.value} to ${row.pay_to}`
    const { transaction, blockNumber, valueAtomic, to } = payment
    const moved = `settled in ${transaction}, block ${blockNumber}: ${valueAtomic} to ${to}`
    if (had !== moved) findings.push(`the ledger has ${key} as ${had}; on the chain it is ${moved}`)
  }
  for (const { key, transaction } of payments.values())
    findings.push(`the chain has ${key} in ${transaction}, the ledger has no row`)
  return findings
}

/** Nothing on the chain that cannot be, and no money that nobody of ours moved. */
export function checkChain({ eventLog, chain }: Evidence): readonly string[] {
  const known = new Set([...eventLog.orders.values()].map(({ group }) => group))
  const strange = chain.payments.filter(({ key, payer }) => !known.has(key) && !known.has(payer))
  return [
    ...chain.oddities,
    ...strange.map(
      ({ key, transaction }) => `${key} was paid in ${transaction}, and nobody ordered anything for it`,
    ),
  ]
}
