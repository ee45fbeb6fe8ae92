import { randomUUID } from 'node:crypto'
import type { Clock } from '@farebox/protocol/time/clock'
import type { ReconciliationLedger, ForgottenCharge } from '../reconciliation-ledger.ts'
import type { LedgerTotals } from '../ledger.ts'
import type { PaymentState } from '../payment-record.ts'
import { resolved, type MemoryPayment, type MemoryTables } from './memory-tables.ts'

/** {@link ReconciliationLedger} in memory. */
export function createMemoryAudit(tables: MemoryTables, clock: Clock): ReconciliationLedger {
  return {
    adopt: charge => resolved(() => adopt(tables, charge, clock.nowMs())),
    expireHolds: (network, nowSeconds) => resolved(() => expireHolds(tables, network, nowSeconds)),
    settledSince: (network, blockNumber, limit) =>
      resolved(() => findSettledSince(tables, network, blockNumber).slice(0, limit)),
    unconfirmed: (network, age, limit) =>
      resolved(() => findUnconfirmed(tables, network, age, clock.nowMs()).slice(0, limit)),
    confirm: keys => resolved(() => confirm(tables, keys)),
    uncharged: (network, finalitySeconds, { auditedBefore, limit }) =>
      resolved(() => findUncharged(tables, network, finalitySeconds, auditedBefore).slice(0, limit)),
    markAudited: (keys, headSeconds) => resolved(() => markAudited(tables, keys, headSeconds)),
    forgetUnused: (network, finalitySeconds, auditedBefore) =>
      resolved(() => forgetUnused(tables, network, finalitySeconds, auditedBefore)),
  }
}

/** States of rows that may belong to a charge that the ledger lost. */
const UNCHARGED: ReadonlySet<PaymentState> = new Set(['held', 'released', 'expired'])

function adopt({ payments, leases }: MemoryTables, charge: ForgottenCharge, nowMs: number): boolean {
  const { payment, binding, owner, relayer, transaction } = charge
  const known = payments.get(payment.key)
  const isOurs = leases.has(`${payment.network} ${relayer}`)
  const isSamePurpose = known?.binding === binding && known.owner === owner
  if (isOurs && isSamePurpose && known.state === 'settled' && known.transaction === transaction) return true
  const isFree = known === undefined || (UNCHARGED.has(known.state) && isSamePurpose)
  if (isOurs && isFree) payments.set(payment.key, adoptedRow(charge, known, nowMs))
  return isOurs && isFree
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
      trace: undefined,
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

function expireHolds({ payments }: MemoryTables, network: string, nowSeconds: number): number {
  const over = rowsOf(payments, network).filter(row => row.state === 'held' && row.holdUntil <= nowSeconds)
  for (const row of over) payments.set(row.key, { ...row, state: 'expired' })
  return over.length
}

function findSettledSince(
  { payments }: MemoryTables,
  network: string,
  blockNumber: bigint,
): readonly MemoryPayment[] {
  return unconfirmedRows(payments, network)
    .filter(row => (row.blockNumber ?? 0n) >= blockNumber)
    .sort((one, other) => Number((other.blockNumber ?? 0n) - (one.blockNumber ?? 0n)))
}

function findUnconfirmed(
  { payments }: MemoryTables,
  network: string,
  age: { readonly belowSeconds: number } | { readonly fromSeconds: number },
  nowMs: number,
): readonly MemoryPayment[] {
  const ageOf = ({ settledAtMs = 0 }: MemoryPayment): number => (nowMs - settledAtMs) / 1_000
  return unconfirmedRows(payments, network)
    .filter(row => ('belowSeconds' in age ? ageOf(row) < age.belowSeconds : ageOf(row) >= age.fromSeconds))
    .sort((one, other) => ageOf(other) - ageOf(one))
}

function unconfirmedRows(payments: MemoryTables['payments'], network: string): MemoryPayment[] {
  return rowsOf(payments, network).filter(row => row.state === 'settled' && !row.isConfirmed)
}

function rowsOf(payments: MemoryTables['payments'], network: string): readonly MemoryPayment[] {
  return [...payments.values()].filter(row => row.network === network)
}

function confirm({ payments }: MemoryTables, keys: readonly string[]): void {
  for (const key of keys) {
    const row = payments.get(key)
    if (row?.state === 'settled') payments.set(key, { ...row, isConfirmed: true })
  }
}

function findUncharged(
  { payments }: MemoryTables,
  network: string,
  finalitySeconds: number,
  auditedBefore: number,
): readonly MemoryPayment[] {
  const rank = ({ state }: MemoryPayment): number => (state === 'failed' ? 0 : 1)
  return rowsOf(payments, network)
    .filter(
      row =>
        (row.state === 'failed' || row.state === 'released' || row.state === 'expired') &&
        row.auditedAt <= Number(row.authorization.validBefore) + finalitySeconds &&
        row.auditedAt < auditedBefore,
    )
    .sort((one, other) => rank(one) - rank(other) || one.auditedAt - other.auditedAt)
}

function markAudited({ payments }: MemoryTables, keys: readonly string[], headSeconds: number): void {
  for (const key of keys) {
    const row = payments.get(key)
    if (row !== undefined) payments.set(key, { ...row, auditedAt: headSeconds })
  }
}

function forgetUnused(
  { payments }: MemoryTables,
  network: string,
  finalitySeconds: number,
  auditedBefore: number,
): number {
  const gone = rowsOf(payments, network).filter(
    ({ state, auditedAt, authorization }) =>
      (state === 'released' || state === 'expired') &&
      auditedAt > Number(authorization.validBefore) + finalitySeconds &&
      auditedAt < auditedBefore,
  )
  for (const { key } of gone) payments.delete(key)
  return gone.length
}

/** The open payments now. */
export function memoryTotals({ payments }: MemoryTables, network: string, nowSeconds: number): LedgerTotals {
  const rows = rowsOf(payments, network)
  const held = rows.filter(row => row.state === 'held' && row.holdUntil > nowSeconds)
  return {
    held: held.length,
    heldAtomic: held.reduce((sum, row) => sum + BigInt(row.authorization.value), 0n),
    captured: rows.filter(row => row.state === 'captured').length,
    submitted: rows.filter(row => row.state === 'submitted').length,
    oldestPendingSeconds: undefined,
  }
}
