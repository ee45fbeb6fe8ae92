import {
  MOST_OPEN_PAYMENTS,
  type CaptureOutcome,
  type CaptureRequest,
  type HoldOutcome,
  type PaymentToHold,
  type PaymentLedger,
} from '../payment-ledger.ts'
import type { PayerFailureLimits } from '../ledger.ts'
import type { LedgerPayment } from '../payment-record.ts'
import { dailyLimit } from '../owner-ledger.ts'
import { barringEnd } from './memory-failures.ts'
import { ownerUse } from './memory-owners.ts'
import { resolved, utcDay, type MemoryPayment, type MemoryTables } from './memory-tables.ts'

/** {@link PaymentLedger} in memory: each method is atomic because it runs without interruption. */
export function createMemoryPayments(tables: MemoryTables, failureLimits: PayerFailureLimits): PaymentLedger {
  const { payments } = tables
  return {
    hold: request => resolved(() => hold(tables, failureLimits, request)),
    capture: request => resolved(() => capture(tables, request)),
    release: ({ holdId, binding, owner }) =>
      resolved(() => {
        const row = [...payments.values()].find(
          one => one.holdId === holdId && one.owner === owner && ['held', 'expired'].includes(one.state),
        )
        if (row?.binding !== binding) return undefined
        payments.set(row.key, { ...row, state: 'released' })
        return row.key
      }),
    find: keys => resolved(() => keys.flatMap(key => payments.get(key) ?? [])),
  }
}

function hold(tables: MemoryTables, failureLimits: PayerFailureLimits, request: PaymentToHold): HoldOutcome {
  const { payment, owner, nowSeconds, limits } = request
  const row = tables.payments.get(payment.key)
  if (row !== undefined) {
    if (row.binding !== request.binding || !sameTerms(row, payment)) return { kind: 'bound-otherwise' }
    if (row.state === 'failed')
      return { kind: 'failed', reason: row.failure?.reason ?? '', message: row.failure?.message ?? '' }
    if (row.state === 'captured' || row.state === 'submitted' || row.state === 'settled') {
      return { kind: 'in-settlement', transaction: row.transaction }
    }
  }
  const { network, authorization } = payment
  const pair = { network, payer: authorization.from, owner }
  const untilSeconds = barringEnd(tables, pair, failureLimits, nowSeconds)
  if (untilSeconds !== undefined) return { kind: 'payer-barred', untilSeconds }
  const use = ownerUse(tables, owner, nowSeconds, payment.key)
  const used = use.settlements + use.unsent
  const limit = dailyLimit(limits, use)
  if (limit !== undefined && used >= limit) return { kind: 'over-budget', budget: { used, limit } }
  if (use.open >= limits.open) return { kind: 'owner-too-many-open' }
  if (request.alone) {
    if (use.sponsorship === 'unlisted') return { kind: 'code-not-sponsored' }
    if (use.openAlone >= limits.openAlone) return { kind: 'owner-too-many-open' }
    const hasBurned = tables.burners.has(`${network} ${authorization.from} ${utcDay(nowSeconds)}`)
    if (hasBurned || use.revertedGas >= limits.revertedGas) return { kind: 'gas-used-up' }
  }
  if (countOpen(tables, payment) >= MOST_OPEN_PAYMENTS) return { kind: 'too-many-open' }

  const open = sumOpen(tables, request)
  if (request.observed.balanceAtomic - open.openAtomic < BigInt(payment.authorization.value))
    return { kind: 'insufficient', ...open }
  const asked = Math.ceil(request.holdUntil)
  const holdUntil = row?.state === 'held' ? Math.max(row.holdUntil, asked) : asked
  tables.payments.set(payment.key, heldRow(request, row, holdUntil))
  return { kind: 'held', holdId: request.holdId, holdUntil, budget: { used: used + 1, limit } }
}

function countOpen({ payments }: MemoryTables, { key, network, authorization }: LedgerPayment): number {
  let open = 0
  for (const row of payments.values()) {
    const isOpen = row.state === 'held' || row.state === 'captured' || row.state === 'submitted'
    const isOther =
      row.key !== key && row.network === network && row.authorization.from === authorization.from
    if (isOpen && isOther) open += 1
  }
  return open
}

/** The reserved part of the payer's observed balance. */
function sumOpen(
  { payments }: MemoryTables,
  { payment, nowSeconds, observed }: PaymentToHold,
): { readonly openAtomic: bigint; readonly settlingAtomic: bigint } {
  let openAtomic = 0n
  let settlingAtomic = 0n
  for (const row of payments.values()) {
    if (
      row.key === payment.key ||
      row.network !== payment.network ||
      row.authorization.from !== payment.authorization.from
    )
      continue
    const value = BigInt(row.authorization.value)
    if (row.state === 'submitted') settlingAtomic += value
    const open =
      row.state === 'captured' ||
      row.state === 'submitted' ||
      (row.state === 'held' && row.holdUntil > nowSeconds) ||
      (row.state === 'settled' && (row.blockNumber ?? 0n) > observed.blockNumber)
    if (open) openAtomic += value
  }
  return { openAtomic, settlingAtomic }
}

function heldRow(request: PaymentToHold, row: MemoryPayment | undefined, holdUntil: number): MemoryPayment {
  const { payment, binding, owner, secretId, holdId, observed, trace } = request
  return {
    ...payment,
    binding,
    trace,
    owner,
    secretId,
    holdId,
    holdUntil,
    state: 'held',
    observedBlock: observed.blockNumber,
    attempts: row?.attempts ?? 0,
    faults: row?.faults ?? 0,
    alone: request.alone,
    harmed: false,
    claim: undefined,
    transaction: row?.transaction ?? '',
    blockNumber: undefined,
    failure: undefined,
    transactionId: undefined,
    capturedAt: 0,
    auditedAt: 0,
    wasSettled: false,
    settledAtMs: undefined,
    isConfirmed: false,
  }
}

/** See `PaymentLedger.capture`. */
export function capture(
  tables: MemoryTables,
  { payment, binding, owner, bounds }: CaptureRequest,
): CaptureOutcome {
  const { payments } = tables
  const row = payments.get(payment.key)
  if (row === undefined) return { kind: 'absent' }
  if (row.binding !== binding || row.owner !== owner || !sameTerms(row, payment))
    return { kind: 'bound-otherwise' }
  const { transaction } = row
  switch (row.state) {
    case 'held':
    case 'expired': {
      if (bounds !== undefined && (row.state === 'expired' || row.holdUntil <= bounds.nowSeconds)) {
        const use = ownerUse(tables, owner, bounds.nowSeconds)
        const [used, limit] = [use.settlements + use.unsent, dailyLimit(bounds.limits, use)]
        if (limit !== undefined && used >= 2 * limit) return { kind: 'over-budget', budget: { used, limit } }
      }
      const capturedAt = 1 + Math.max(0, ...[...payments.values()].map(one => one.capturedAt))
      payments.set(row.key, { ...row, state: 'captured', capturedAt })
      return { kind: 'captured', first: true, transaction: '' }
    }
    case 'captured':
    case 'submitted':
      return { kind: 'captured', first: false, transaction }
    case 'settled':
      return { kind: 'settled', transaction }
    case 'failed':
      return {
        kind: 'failed',
        reason: row.failure?.reason ?? '',
        message: row.failure?.message ?? '',
        transaction,
      }
    case 'released':
      return { kind: 'released' }
  }
}

/** A payer can sign one nonce twice with different terms (PAY-07): only the first counts. */
function sameTerms(row: LedgerPayment, payment: LedgerPayment): boolean {
  return (['to', 'value', 'validAfter', 'validBefore'] as const).every(
    term => row.authorization[term] === payment.authorization[term],
  )
}
