import type { PaymentRecord } from '../ledger/payment-record.ts'
import type {
  ClosedTransaction,
  Conclusion,
  OpenTransaction,
  SenderLease,
} from '../ledger/settlement-ledger.ts'
import type { Bell } from './bell.ts'
import { followTransaction, type FollowParts } from './follow-transaction.ts'
import { planSettlement, type PlanParts } from './plan-settlement.ts'
import { MAX_BATCH } from './relayer.ts'

/** What a round works with. */
export interface RoundParts extends Omit<FollowParts, 'conclude' | 'lowestOpenNonce'>, PlanParts {
  /** Told of what was written down: whoever waits for a settlement hears it here. */
  readonly onConcluded: (conclusions: readonly Conclusion[]) => void
}

/** The time in which a process holds one lease. */
export interface Turn {
  readonly lease: SenderLease
  /** Aborted when the lease is lost or the process stops. */
  readonly end: AbortController
  /** The transactions in flight, by their id in the ledger. */
  readonly following: Map<string, { readonly nonce: number; readonly done: Promise<void> }>
  /** Where to look for a free one from; undefined where the chain must be asked. */
  nextNonce: number | undefined
  /** Rung when a transaction ends. */
  readonly ended: Bell
  /** Rung when there may be work. */
  readonly bell: Bell
}

/**
 * Transactions of one account in flight at once: more would only queue in the node, and fall together if one
 * does.
 */
const MAX_OPEN = 4

/**
 * One look at what is to be done: takes up transactions that were left open, then puts what is captured into
 * new ones, each saved before anybody else sees it.
 *
 * Rejects when ledger or node give no answer; what was saved until then is taken up by the next round.
 */
export async function runRound(parts: RoundParts, turn: Turn): Promise<void> {
  const account = { network: parts.network.id, relayer: parts.relayer.address }
  const { captured, open } = await parts.settlements.backlog(account, MAX_BATCH)
  for (const transaction of open) {
    if (!turn.following.has(transaction.id)) follow(parts, turn, transaction)
  }
  if (captured.length === 0 || turn.following.size >= MAX_OPEN) return

  const plan = await planSettlement(parts, captured)
  if (plan.concluded.length > 0) await conclude(parts, plan.concluded)
  const groups = [plan.together, ...plan.alone.map(payment => [payment])].filter(group => group.length > 0)
  for (const group of groups) {
    if (turn.following.size >= MAX_OPEN || turn.end.signal.aborted) return
    if (!(await submit(parts, turn, group))) return
  }
  if (captured.length === MAX_BATCH) turn.bell.ring()
}

/** Signs, saves and sends one transaction; false where this round should go no further. */
async function submit(parts: RoundParts, turn: Turn, payments: readonly PaymentRecord[]): Promise<boolean> {
  const fees = await parts.node.fees()
  if (fees.baseFeePerGas + fees.maxPriorityFeePerGas > parts.maxFeePerGas) {
    parts.log.error('gas costs more than the cap, settlements wait', {
      baseFeePerGas: fees.baseFeePerGas,
      cap: parts.maxFeePerGas,
    })
    return false
  }
  const maxFeePerGas = fees.maxFeePerGas < parts.maxFeePerGas ? fees.maxFeePerGas : parts.maxFeePerGas
  const nonce = await findFreeNonce(parts, turn)
  const signed = parts.relayer.sign(payments, nonce, {
    maxFeePerGas,
    maxPriorityFeePerGas: fees.maxPriorityFeePerGas,
  })
  const id = await parts.settlements.submit(
    turn.lease,
    { ...signed, nonce },
    payments.map(payment => payment.key),
  )
  if (id === undefined) {
    // Another process took a payment, or the lease is gone: the next round sees what is left.
    turn.nextNonce = undefined
    turn.bell.ring()
    return false
  }
  turn.nextNonce = nonce + 1
  turn.ended.silence()
  parts.metrics.batchSize.observe(payments.length)
  parts.metrics.transactions.inc({ outcome: 'saved' })
  parts.log.info('transaction saved', { hash: signed.hash, nonce, payments: payments.length })
  follow(parts, turn, { ...signed, id, nonce, hashes: [signed.hash], payments })
  return true
}

/**
 * The lowest nonce that no open transaction has. Not the one after the highest: what was dropped leaves a gap, and
 * until that is filled no block takes anything after it.
 */
async function findFreeNonce({ node, relayer }: RoundParts, turn: Turn): Promise<number> {
  const taken = new Set([...turn.following.values()].map(one => one.nonce))
  let nonce = turn.nextNonce ?? (await node.nonce(relayer.address))
  while (taken.has(nonce)) nonce += 1
  return nonce
}

/** Lets a transaction be seen to its end beside everything else. */
function follow(parts: RoundParts, turn: Turn, transaction: OpenTransaction): void {
  const followParts: FollowParts = {
    ...parts,
    conclude: (conclusions, closes) => conclude(parts, conclusions, closes),
    lowestOpenNonce: () => Math.min(...[...turn.following.values()].map(one => one.nonce)),
  }
  const done = followTransaction(followParts, turn.lease, transaction, turn.end.signal).then(end => {
    turn.following.delete(transaction.id)
    if (end === 'dropped') turn.nextNonce = undefined
    turn.ended.ring()
    turn.bell.ring()
  })
  turn.following.set(transaction.id, { nonce: transaction.nonce, done })
}

async function conclude(
  parts: RoundParts,
  conclusions: readonly Conclusion[],
  closes?: ClosedTransaction,
): Promise<void> {
  const changed = new Set(await parts.settlements.conclude(conclusions, closes))
  const written = conclusions.filter(conclusion => changed.has(conclusion.key))
  for (const conclusion of written) {
    if (conclusion.to === 'captured') continue
    const failure = conclusion.to === 'failed' ? conclusion.failure : undefined
    parts.metrics.payments.inc({ state: conclusion.to, reason: failure?.reason ?? '' })
    parts.log.info(`payment ${conclusion.to}`, {
      key: conclusion.key,
      transaction: conclusion.transaction,
      ...failure,
    })
  }
  parts.onConcluded(written)
}
