import type { AuditLedger } from '../audit-ledger.ts'
import type { LedgerTotals } from '../ledger.ts'
import type { MemoryPayment, MemoryTables } from './memory-tables.ts'

/** {@link AuditLedger} in memory. */
export function createMemoryAudit({ payments }: MemoryTables): AuditLedger {
  const rowsOf = (network: string): readonly MemoryPayment[] =>
    [...payments.values()].filter(row => row.network === network)
  return {
    async expireHolds(network, nowSeconds) {
      const over = rowsOf(network).filter(row => row.state === 'held' && row.holdUntil <= nowSeconds)
      for (const row of over) payments.set(row.key, { ...row, state: 'expired' })
      return await Promise.resolve(over.length)
    },
    async settledSince(network, blockNumber) {
      return await Promise.resolve(
        rowsOf(network).filter(row => row.state === 'settled' && (row.blockNumber ?? 0n) >= blockNumber),
      )
    },
    async uncharged(network, finalitySeconds, { auditedBefore, limit }) {
      const rows = rowsOf(network).filter(
        row =>
          (row.state === 'failed' || row.state === 'released' || row.state === 'expired') &&
          row.auditedAt <= Number(row.authorization.validBefore) + finalitySeconds &&
          row.auditedAt < auditedBefore,
      )
      const rank = ({ state }: MemoryPayment): number => (state === 'failed' ? 0 : 1)
      return await Promise.resolve(
        rows.sort((one, other) => rank(one) - rank(other) || one.auditedAt - other.auditedAt).slice(0, limit),
      )
    },
    async markAudited(keys, headSeconds) {
      for (const key of keys) {
        const row = payments.get(key)
        if (row !== undefined) payments.set(key, { ...row, auditedAt: headSeconds })
      }
      await Promise.resolve()
    },
    async forgetUnused(network, finalitySeconds, auditedBefore) {
      const gone = rowsOf(network).filter(
        ({ state, auditedAt, authorization }) =>
          (state === 'released' || state === 'expired') &&
          auditedAt > Number(authorization.validBefore) + finalitySeconds &&
          auditedAt < auditedBefore,
      )
      for (const { key } of gone) payments.delete(key)
      return await Promise.resolve(gone.length)
    },
  }
}

/** What is open now. */
export function memoryTotals({ payments }: MemoryTables, network: string, nowSeconds: number): LedgerTotals {
  const rows = [...payments.values()].filter(row => row.network === network)
  const held = rows.filter(row => row.state === 'held' && row.holdUntil > nowSeconds)
  return {
    held: held.length,
    heldAtomic: held.reduce((sum, row) => sum + BigInt(row.authorization.value), 0n),
    captured: rows.filter(row => row.state === 'captured').length,
    submitted: rows.filter(row => row.state === 'submitted').length,
    oldestPendingSeconds: undefined,
  }
}
