import { randomUUID } from 'node:crypto'
import type { Clock } from '@farebox/protocol/time/clock'
import type { ReconciliationLedger, ForgottenCharge } from '../reconciliation-ledger.ts'
import type { LedgerTotals } from '../ledger.ts'
import type { PaymentState } from '../payment-record.ts'
import type { MemoryPayment, MemoryTables } from './memory-tables.ts'

/** States of rows that may have been charged by what the ledger forgot. */
const UNCHARGED: ReadonlySet<PaymentState> = new Set(['held', 'released', 'expired'])

/** {@link ReconciliationLedger} in memory. */
export function createMemoryAudit({ payments, leases }: MemoryTables, clock: Clock): ReconciliationLedger {
  const rowsOf = (network: string): readonly MemoryPayment[] =>
    [...payments.values()].filter(row => row.network === network)
  const unconfirmedOf = (network: string): MemoryPayment[] =>
    rowsOf(network).filter(row => row.state === 'settled' && !row.isConfirmed)
  return {
    async adopt(charge) {
      const { payment, binding, owner, relayer, transaction } = charge
      const known = payments.get(payment.key)
      const isOurs = leases.has(`${payment.network} ${relayer}`)
      const isSame = known?.binding === binding && known.owner === owner
      if (isOurs && isSame && known.state === 'settled' && known.transaction === transaction)
        return await Promise.resolve(true)
      const isFree = known === undefined || (UNCHARGED.has(known.state) && isSame)
      if (isOurs && isFree) payments.set(payment.key, adoptedRow(charge, known, clock.nowMs()))
      return await Promise.resolve(isOurs && isFree)
    },
    async expireHolds(network, nowSeconds) {
      const over = rowsOf(network).filter(row => row.state === 'held' && row.holdUntil <= nowSeconds)
      for (const row of over) payments.set(row.key, { ...row, state: 'expired' })
      return await Promise.resolve(over.length)
    },
    async settledSince(network, blockNumber, limit) {
      const rows = unconfirmedOf(network).filter(row => (row.blockNumber ?? 0n) >= blockNumber)
      const newestFirst = rows.sort((one, other) =>
        Number((other.blockNumber ?? 0n) - (one.blockNumber ?? 0n)),
      )
      return await Promise.resolve(newestFirst.slice(0, limit))
    },
    async unconfirmed(network, age, limit) {
      const ageOf = ({ settledAtMs = 0 }: MemoryPayment): number => (clock.nowMs() - settledAtMs) / 1_000
      const rows = unconfirmedOf(network)
        .filter(row =>
          'belowSeconds' in age ? ageOf(row) < age.belowSeconds : ageOf(row) >= age.fromSeconds,
        )
        .sort((one, other) => ageOf(other) - ageOf(one))
      return await Promise.resolve(rows.slice(0, limit))
    },
    async confirm(keys) {
      for (const key of keys) {
        const row = payments.get(key)
        if (row?.state === 'settled') payments.set(key, { ...row, isConfirmed: true })
      }
      await Promise.resolve()
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

function adoptedRow(
  { payment, binding, owner, secretId, transaction, blockNumber }: ForgottenCharge,
  known: MemoryPayment | undefined,
  nowMs: number,
): MemoryPayment {
  const first = { ...payment, binding, owner, secretId, holdId: randomUUID(), holdUntil: 0, capturedAt: 0 }
  return {
    ...(known ?? {
      ...first,
      observedBlock: blockNumber,
      attempts: 0,
      faults: 0,
      alone: false,
      auditedAt: 0,
    }),
    harmed: false,
    claim: undefined,
    state: 'settled',
    transaction,
    blockNumber,
    transactionId: undefined,
    failure: undefined,
    wasSettled: true,
    settledAtMs: known?.settledAtMs ?? nowMs,
    isConfirmed: false,
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
