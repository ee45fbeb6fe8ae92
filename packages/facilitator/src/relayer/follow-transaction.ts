import { countLoss } from '../count-loss.ts'
import { paymentFields } from '../ledger/payment-fields.ts'
import type { ClosedTransaction, Conclusion, OpenTransaction } from '../ledger/settlement-ledger.ts'
import { carry, type PlanParts } from './plan-settlement.ts'
import { lowestOpenNonce, type SenderState, type SettlementLane, type RelayerTerm } from './relayer-term.ts'
import { driveTransaction, type DriveParts } from './transaction/drive-transaction.ts'

/** The dependencies of following transactions. */
export interface FollowParts
  extends
    Omit<DriveParts, 'conclude' | 'lowestOpenNonce' | 'carry' | 'relayer'>,
    Pick<PlanParts, 'readCodes' | 'hasSettler'> {
  /** Called with recorded conclusions, to notify the callers that wait for a settlement. */
  readonly onConcluded: (conclusions: readonly Conclusion[]) => void
}

/** Logs a transaction that was saved, and each payment in it: a payment is followed by its own lines. */
export function logSaved({ log }: Pick<FollowParts, 'log'>, transaction: OpenTransaction): void {
  const { hash, relayer, nonce, payments } = transaction
  log.info('transaction saved', { hash, relayer, nonce, payments: payments.length })
  for (const payment of payments)
    log.info('payment submitted', { ...paymentFields(payment), transaction: hash })
}

/** Follows a saved transaction to its end in the background. */
export function followTransaction(
  parts: FollowParts,
  state: SenderState,
  term: RelayerTerm,
  transaction: OpenTransaction,
  lane = laneOf(transaction),
): void {
  const { relayer } = term
  const driveParts: DriveParts = {
    ...parts,
    relayer,
    carry: payments => carry({ ...parts, relayer }, payments),
    conclude: (conclusions, closes) => conclude(parts, conclusions, closes),
    lowestOpenNonce: () => lowestOpenNonce(term),
  }
  const done = driveTransaction(driveParts, term.lease, transaction, term.end.signal).then(end => {
    term.following.delete(transaction.id)
    if (end === 'dropped') term.nextNonce = undefined
    state.batching.ended()
    state.notifier.notify()
  })
  const sinceMs = parts.clock.nowMs()
  term.following.set(transaction.id, { nonce: transaction.nonce, lane, sinceMs, done })
}

/** The lane of a transaction that an earlier holder of the lease sent. */
function laneOf({ payments }: OpenTransaction): SettlementLane {
  return payments.some(payment => payment.alone) ? 'alone' : 'together'
}

/** Records what the chain decided, and notifies the waiting callers. Rejects when the ledger gives no answer. */
export async function conclude(
  parts: Pick<FollowParts, 'settlements' | 'metrics' | 'log' | 'onConcluded'>,
  conclusions: readonly Conclusion[],
  closes?: ClosedTransaction,
): Promise<void> {
  const changed = new Map((await parts.settlements.conclude(conclusions, closes)).map(one => [one.key, one]))
  const written = conclusions.filter(conclusion => changed.has(conclusion.key))
  for (const conclusion of written) {
    const payment = changed.get(conclusion.key)
    if (conclusion.to === 'captured' || payment === undefined) continue
    const failure = conclusion.to === 'failed' ? conclusion.failure : undefined
    countLoss(parts, conclusion, payment)
    parts.metrics.payments.inc({ state: conclusion.to, reason: failure?.reason ?? '' })
    parts.log.info(`payment ${conclusion.to}`, {
      ...paymentFields(payment),
      transaction: conclusion.transaction,
      ...failure,
    })
  }
  parts.onConcluded(written)
}
