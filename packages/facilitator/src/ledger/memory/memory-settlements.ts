import { nowSeconds, type Clock } from '@farebox/protocol/time/clock'
import type { TracedPayment } from '../payment-fields.ts'
import type { PayerFailureLimits } from '../ledger.ts'
import type { CaptureRequest } from '../payment-ledger.ts'
import type {
  Backlog,
  ClosedTransaction,
  Conclusion,
  NumberedSettlement,
  OpenTransaction,
  Sender,
  SenderLease,
  SettlementLedger,
  SignedSettlement,
  UnattendedRelayer,
} from '../settlement-ledger.ts'
import { countFailures } from './memory-failures.ts'
import { countUse } from './memory-owners.ts'
import { holdsLease, isAttended } from './memory-leases.ts'
import { capture } from './memory-payments.ts'
import {
  resolved,
  utcDay,
  type MemoryPayment,
  type MemoryTables,
  type MemoryTransaction,
} from './memory-tables.ts'
import { takeTurns } from './memory-turns.ts'

/** {@link SettlementLedger} in memory. */
export function createMemorySettlements(
  tables: MemoryTables,
  clock: Clock,
  failureLimits: PayerFailureLimits,
): SettlementLedger {
  return {
    backlog: (sender, limits) => resolved(() => readBacklog(tables, sender, limits, clock.nowMs())),
    unattended: network => resolved(() => countUnattended(tables, clock, network)),
    submit: (lease, transaction, keys) => resolved(() => submit(tables, clock, lease, transaction, keys)),
    captureAndSubmit: (lease, transaction, request) =>
      resolved(() => captureAndSubmit(tables, clock, lease, transaction, request)),
    replace: (lease, transactionId, signed) =>
      resolved(() => replace(tables, clock, lease, transactionId, signed)),
    conclude: (conclusions, closes) =>
      resolved(() => conclude(tables, clock, failureLimits, conclusions, closes)),
  }
}

function readBacklog(
  tables: MemoryTables,
  sender: Sender,
  limits: { readonly together: number; readonly alone: number },
  nowMs: number,
): Backlog {
  const { network, relayers } = sender
  const together = takeTurns(tables, sender, { alone: false, limit: limits.together }, nowMs)
  const alone = takeTurns(tables, sender, { alone: true, limit: limits.alone }, nowMs)
  const rows = [...tables.payments.values()].filter(row => row.network === network)
  const open = [...tables.transactions.values()]
    .filter(one => one.network === network && relayers.includes(one.relayer) && one.state === 'open')
    .sort(
      (one, other) =>
        relayers.indexOf(one.relayer) - relayers.indexOf(other.relayer) || one.nonce - other.nonce,
    )
    .map((transaction): OpenTransaction => ({
      ...transaction,
      payments: rows.filter(row => row.transactionId === transaction.id),
    }))
  return { together, alone, open }
}

function countUnattended(tables: MemoryTables, clock: Clock, network: string): readonly UnattendedRelayer[] {
  const counts = new Map<string, number>()
  for (const one of tables.transactions.values()) {
    if (one.network !== network || one.state !== 'open' || isAttended(tables, clock, one)) continue
    counts.set(one.relayer, (counts.get(one.relayer) ?? 0) + 1)
  }
  const found = [...counts].map(([relayer, count]) => ({ relayer, transactions: count }))
  return found.sort((one, other) => (one.relayer < other.relayer ? -1 : 1))
}

function submit(
  tables: MemoryTables,
  clock: Clock,
  lease: SenderLease,
  transaction: NumberedSettlement,
  keys: readonly string[],
): string | undefined {
  const { payments, transactions } = tables
  const rows = keys.flatMap(key => payments.get(key) ?? []).filter(row => row.state === 'captured')
  const taken = [...transactions.values()].some(one => isOpenAt(one, lease, transaction.nonce))
  if (!holdsLease(tables, clock, lease) || taken || rows.length !== keys.length) return undefined
  // Never used again, not even after an earlier state was restored.
  const id = transaction.hash
  const { network, relayer } = lease
  transactions.set(id, { ...transaction, id, network, relayer, hashes: [transaction.hash], state: 'open' })
  for (const row of rows) {
    payments.set(row.key, { ...row, state: 'submitted', transactionId: id, transaction: transaction.hash })
    countUse(tables, row.owner, nowSeconds(clock), { settlements: 1 })
  }
  return id
}

function isOpenAt(transaction: MemoryTransaction, { network, relayer }: SenderLease, nonce: number): boolean {
  return (
    transaction.network === network &&
    transaction.relayer === relayer &&
    transaction.nonce === nonce &&
    transaction.state === 'open'
  )
}

function captureAndSubmit(
  tables: MemoryTables,
  clock: Clock,
  lease: SenderLease,
  transaction: NumberedSettlement,
  request: CaptureRequest,
): Awaited<ReturnType<SettlementLedger['captureAndSubmit']>> {
  const { payments } = tables
  const { key } = request.payment
  const outcome = capture(tables, request)
  const isReady = outcome.kind === 'captured' && outcome.first && payments.get(key)?.alone === false
  const id = isReady ? submit(tables, clock, lease, transaction, [key]) : undefined
  const payment = payments.get(key)
  const submitted = id === undefined || payment === undefined ? undefined : { id, payment }
  return { capture: outcome, submitted }
}

function replace(
  tables: MemoryTables,
  clock: Clock,
  lease: SenderLease,
  transactionId: string,
  signed: SignedSettlement,
): boolean {
  const { payments, transactions } = tables
  const transaction = transactions.get(transactionId)
  if (!holdsLease(tables, clock, lease) || transaction?.state !== 'open') return false
  const hashes = [...transaction.hashes, signed.hash]
  transactions.set(transactionId, { ...transaction, ...signed, hashes })
  for (const row of payments.values()) {
    if (row.transactionId === transactionId) payments.set(row.key, { ...row, transaction: signed.hash })
  }
  return true
}

type Changed = readonly { readonly row: MemoryPayment; readonly conclusion: Conclusion }[]

function conclude(
  tables: MemoryTables,
  clock: Clock,
  failureLimits: PayerFailureLimits,
  conclusions: readonly Conclusion[],
  closes: ClosedTransaction | undefined,
): readonly TracedPayment[] {
  const { payments, transactions } = tables
  const changed = conclusions.flatMap(conclusion => {
    const row = payments.get(conclusion.key)
    if (row === undefined || row.state !== conclusion.from) return []
    payments.set(row.key, concludedRow(row, conclusion, clock.nowMs()))
    return [{ row, conclusion }]
  })
  countFailures(tables, changed, failureLimits, nowSeconds(clock))
  countGas(tables, changed, nowSeconds(clock))
  const dropped = dropPayers(tables, changed)
  const closed = closes && transactions.get(closes.transactionId)
  if (closes && closed?.state === 'open') transactions.set(closed.id, { ...closed, state: closes.as })
  return [...changed.map(({ row }) => row), ...dropped].map(({ key, binding, trace }) => ({
    key,
    binding,
    trace,
  }))
}

function concludedRow(row: MemoryPayment, conclusion: Conclusion, nowMs: number): MemoryPayment {
  const decided = {
    ...row,
    state: conclusion.to,
    transactionId: undefined,
    blockNumber: undefined,
    failure: undefined,
    harmed: false,
    claim: undefined,
  }
  switch (conclusion.to) {
    case 'settled':
      return {
        ...decided,
        transaction: conclusion.transaction,
        blockNumber: conclusion.blockNumber,
        wasSettled: true,
        settledAtMs: row.settledAtMs ?? nowMs,
        isConfirmed: false,
      }
    case 'failed':
      return { ...decided, transaction: conclusion.transaction, failure: conclusion.failure }
    case 'captured': {
      const { observedBlock, isFault = false, hasCode = false } = conclusion
      const wasSent = row.state !== 'captured'
      return {
        ...decided,
        transaction: '',
        attempts: row.attempts + (wasSent ? 1 : 0),
        faults: row.faults + (isFault ? 1 : 0),
        harmed: wasSent && !isFault,
        alone: row.alone || hasCode,
        observedBlock: observedBlock > row.observedBlock ? observedBlock : row.observedBlock,
      }
    }
  }
}

function countGas(tables: MemoryTables, changed: Changed, nowSeconds: number): void {
  for (const { row, conclusion } of changed) {
    if (conclusion.to !== 'captured' || conclusion.revertedGas === undefined) continue
    countUse(tables, row.owner, nowSeconds, { revertedGas: conclusion.revertedGas })
    tables.burners.add(`${row.network} ${row.authorization.from} ${utcDay(nowSeconds)}`)
  }
}

/** Fails all other held or captured payments of payers whose code has burned gas; returns them. */
function dropPayers({ payments }: MemoryTables, changed: Changed): readonly MemoryPayment[] {
  return changed.flatMap(({ row: { network, authorization }, conclusion }) => {
    if (conclusion.to !== 'failed' || conclusion.dropsPayer !== true) return []
    const dropped = [...payments.values()].filter(
      row =>
        row.network === network &&
        row.authorization.from === authorization.from &&
        row.alone &&
        (row.state === 'held' || row.state === 'captured'),
    )
    for (const row of dropped) payments.set(row.key, { ...row, state: 'failed', failure: conclusion.failure })
    return dropped
  })
}
