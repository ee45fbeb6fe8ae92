import { nowSeconds, type Clock } from '@farebox/server/clock'
import type { PayerStanding } from '../ledger.ts'
import type {
  Conclusion,
  OpenTransaction,
  SenderLease,
  SenderLeases,
  SettlementLedger,
} from '../settlement-ledger.ts'
import { utcDay, type MemoryPayment, type MemoryTables, type MemoryTransaction } from './memory-tables.ts'

/** {@link SettlementLedger} in memory. */
export function createMemorySettlements(
  tables: MemoryTables,
  clock: Clock,
  standing: PayerStanding,
): SettlementLedger {
  const { payments, transactions } = tables
  return {
    async backlog({ network, relayer }, limit) {
      const rows = [...payments.values()].filter(row => row.network === network)
      const captured = rows
        .filter(row => row.state === 'captured')
        .sort((one, other) => one.attempts - other.attempts || one.capturedAt - other.capturedAt)
      const open = [...transactions.values()]
        .filter(one => one.network === network && one.relayer === relayer && one.state === 'open')
        .sort((one, other) => one.nonce - other.nonce)
        .map((transaction): OpenTransaction => ({
          ...transaction,
          payments: rows.filter(row => row.transactionId === transaction.id),
        }))
      return await Promise.resolve({ captured: captured.slice(0, limit), open })
    },
    async submit(lease, transaction, keys) {
      const rows = keys.flatMap(key => payments.get(key) ?? []).filter(row => row.state === 'captured')
      const taken = [...transactions.values()].some(one => isOpenAt(one, lease, transaction.nonce))
      if (!holdsLease(tables, clock, lease) || taken || rows.length !== keys.length) return undefined
      const id = String(transactions.size + 1)
      const { network, relayer } = lease
      transactions.set(id, {
        ...transaction,
        id,
        network,
        relayer,
        hashes: [transaction.hash],
        state: 'open',
      })
      for (const row of rows) {
        payments.set(row.key, {
          ...row,
          state: 'submitted',
          transactionId: id,
          transaction: transaction.hash,
        })
        const day = `${row.secretId} ${utcDay(nowSeconds(clock))}`
        tables.settlementCounts.set(day, (tables.settlementCounts.get(day) ?? 0) + 1)
      }
      return await Promise.resolve(id)
    },
    async replace(lease, transactionId, signed) {
      const transaction = transactions.get(transactionId)
      if (!holdsLease(tables, clock, lease) || transaction?.state !== 'open') return false
      transactions.set(transactionId, {
        ...transaction,
        ...signed,
        hashes: [...transaction.hashes, signed.hash],
      })
      for (const row of payments.values()) {
        if (row.transactionId === transactionId) payments.set(row.key, { ...row, transaction: signed.hash })
      }
      return await Promise.resolve(true)
    },
    async conclude(conclusions, closes) {
      const changed = conclusions.flatMap(conclusion => {
        const row = payments.get(conclusion.key)
        if (row === undefined || row.state !== conclusion.from) return []
        payments.set(row.key, concludedRow(row, conclusion))
        return [{ row, conclusion }]
      })
      keepStanding(tables, changed, standing, nowSeconds(clock))
      const closed = closes && transactions.get(closes.transactionId)
      if (closes && closed?.state === 'open') transactions.set(closed.id, { ...closed, state: closes.as })
      return await Promise.resolve(changed.map(({ row }) => row.key))
    },
  }
}

/** {@link SenderLeases} in memory. */
export function createMemoryLeases({ leases }: MemoryTables, clock: Clock): SenderLeases {
  return {
    async acquire({ network, relayer }, holder, leaseMs) {
      const known = leases.get(`${network} ${relayer}`)
      if (known !== undefined && known.holder !== holder && known.expiresAtMs > clock.nowMs())
        return undefined
      const fence = (known?.fence ?? 0n) + (known?.holder === holder ? 0n : 1n)
      leases.set(`${network} ${relayer}`, { holder, fence, expiresAtMs: clock.nowMs() + leaseMs })
      return await Promise.resolve({ network, relayer, fence })
    },
    async giveUp({ network, relayer, fence }) {
      const known = leases.get(`${network} ${relayer}`)
      if (known?.fence === fence) leases.set(`${network} ${relayer}`, { holder: '', fence, expiresAtMs: 0 })
      await Promise.resolve()
    },
  }
}

function holdsLease(
  { leases }: MemoryTables,
  clock: Clock,
  { network, relayer, fence }: SenderLease,
): boolean {
  const known = leases.get(`${network} ${relayer}`)
  return known !== undefined && known.fence === fence && known.expiresAtMs > clock.nowMs()
}

function isOpenAt(transaction: MemoryTransaction, { network, relayer }: SenderLease, nonce: number): boolean {
  return (
    transaction.network === network &&
    transaction.relayer === relayer &&
    transaction.nonce === nonce &&
    transaction.state === 'open'
  )
}

function concludedRow(row: MemoryPayment, conclusion: Conclusion): MemoryPayment {
  const decided = {
    ...row,
    state: conclusion.to,
    transactionId: undefined,
    blockNumber: undefined,
    failure: undefined,
  }
  switch (conclusion.to) {
    case 'settled':
      return { ...decided, transaction: conclusion.transaction, blockNumber: conclusion.blockNumber }
    case 'failed':
      return { ...decided, transaction: conclusion.transaction, failure: conclusion.failure }
    case 'captured': {
      const observedBlock =
        conclusion.observedBlock > row.observedBlock ? conclusion.observedBlock : row.observedBlock
      return { ...decided, transaction: '', attempts: row.attempts + 1, observedBlock }
    }
  }
}

/** One settled payment makes good for all failures before it. */
function keepStanding(
  { payerFailures }: MemoryTables,
  changed: readonly { readonly row: MemoryPayment; readonly conclusion: Conclusion }[],
  { failuresAllowed, barredSeconds }: PayerStanding,
  now: number,
): void {
  const payerOf = (row: MemoryPayment): string => `${row.network} ${row.authorization.from}`
  const settled = new Set(
    changed.filter(({ conclusion }) => conclusion.to === 'settled').map(({ row }) => payerOf(row)),
  )
  for (const payer of settled) payerFailures.delete(payer)
  for (const { row, conclusion } of changed) {
    const payer = payerOf(row)
    if (conclusion.to !== 'failed' || !conclusion.blamed || settled.has(payer)) continue
    const failures = (payerFailures.get(payer)?.failures ?? 0) + 1
    payerFailures.set(payer, { failures, barredUntil: failures >= failuresAllowed ? now + barredSeconds : 0 })
  }
}
