import type { PaymentRecord } from '../ledger/payment-record.ts'
import type {
  ClosedTransaction,
  Conclusion,
  OpenTransaction,
  SenderLease,
} from '../ledger/settlement-ledger.ts'
import { countLoss } from '../count-loss.ts'
import type { Notifier } from './notifier.ts'
import { driveTransaction, type FollowParts } from './drive-transaction.ts'
import { carry, planAlone, planTogether, type PlanParts } from './plan-settlement.ts'
import { MAX_BATCH, type Fees } from './relayer-account.ts'

/** What a round works with. */
export interface PassParts extends Omit<FollowParts, 'conclude' | 'lowestOpenNonce' | 'carry'>, PlanParts {
  /** Told of what was written down: whoever waits for a settlement hears it here. */
  readonly onConcluded: (conclusions: readonly Conclusion[]) => void
}

/** A transaction in flight. */
export interface InFlight {
  readonly nonce: number
  readonly lane: Lane
  readonly done: Promise<void>
}

/**
 * Payments go together, or each in a transaction of its own; those of accounts with code that nobody knows go alone, one
 * after the other. No lane can take the place of another.
 */
type Lane = 'together' | 'single' | 'alone'

/** The time in which a process holds one lease. */
export interface LeaseTerm {
  readonly lease: SenderLease
  /** Aborted when the lease is lost or the process stops. */
  readonly end: AbortController
  /** The transactions in flight, by their id in the ledger. */
  readonly following: Map<string, InFlight>
  /** Where to look for a free one from; undefined where the chain must be asked. */
  nextNonce: number | undefined
  /** Notified when a transaction ends. */
  readonly ended: Notifier
  /** Notified when there may be work. */
  readonly notifier: Notifier
}

/**
 * Transactions of one account in flight at once, in each lane: with fewer together a block of two seconds is not filled,
 * more would only queue in the node, and fall together if one does.
 */
const MAX_OPEN: { readonly [lane in Lane]: number } = { together: 16, single: 4, alone: 1 }
/** So many of those that go alone are looked at for one that can go. */
const MAX_ALONE = 8

/**
 * One look at what is to be done: takes up transactions that were left open, then puts what is captured into
 * new ones, each saved before anybody else sees it.
 *
 * Rejects when ledger or node give no answer; what was saved until then is taken up by the next round.
 */
export async function runSettlementPass(parts: PassParts, term: LeaseTerm): Promise<void> {
  const account = { network: parts.network.id, relayer: parts.relayer.address }
  const limits = { together: MAX_BATCH, alone: MAX_ALONE }
  const { together, alone, open } = await parts.settlements.backlog(account, limits)
  for (const transaction of open) {
    if (!term.following.has(transaction.id)) follow(parts, term, transaction)
  }
  const hasWork =
    (together.length > 0 && hasRoom(term, 'together')) || (alone.length > 0 && hasRoom(term, 'alone'))
  if (!hasWork) return
  await parts.confirmChain()
  try {
    if (together.length > 0 && hasRoom(term, 'together')) await sendTogether(parts, term, together)
  } finally {
    // Whatever accounts with code do to the one lane, the other goes on, and the other way round.
    if (alone.length > 0 && hasRoom(term, 'alone')) await sendAlone(parts, term, alone)
  }
}

async function sendTogether(
  parts: PassParts,
  term: LeaseTerm,
  captured: readonly PaymentRecord[],
): Promise<void> {
  const fees = await readFees(parts)
  const plan = await planTogether(parts, captured, fees)
  if (plan.concluded.length > 0) await conclude(parts, plan.concluded)
  if (fees === undefined) return
  if (plan.together.length > 0 && !(await submit(parts, term, 'together', plan.together, fees))) return
  for (const payment of plan.single) {
    if (!hasRoom(term, 'single') || !(await submit(parts, term, 'single', [payment], fees))) break
  }
  if (captured.length === MAX_BATCH) term.notifier.notify()
}

async function sendAlone(
  parts: PassParts,
  term: LeaseTerm,
  captured: readonly PaymentRecord[],
): Promise<void> {
  const fees = await readFees(parts)
  const plan = await planAlone(parts, captured, fees)
  if (plan.concluded.length > 0) await conclude(parts, plan.concluded)
  if (fees !== undefined && plan.next !== undefined) await submit(parts, term, 'alone', [plan.next], fees)
  else if (plan.concluded.length > 0) term.notifier.notify()
}

function hasRoom(term: LeaseTerm, lane: Lane): boolean {
  const open = [...term.following.values()].filter(one => one.lane === lane).length
  return open < MAX_OPEN[lane] && !term.end.signal.aborted
}

/** What a transaction offers now; undefined where gas costs more than the cap. */
async function readFees({ node, log, maxFeePerGas: cap }: PassParts): Promise<Fees | undefined> {
  const { baseFeePerGas, maxFeePerGas, maxPriorityFeePerGas } = await node.fees()
  if (baseFeePerGas + maxPriorityFeePerGas > cap) {
    log.error('the gas price is above the cap; settlements are waiting', { baseFeePerGas, cap })
    return undefined
  }
  return { maxFeePerGas: maxFeePerGas < cap ? maxFeePerGas : cap, maxPriorityFeePerGas }
}

/** Signs, saves and sends one transaction; false where this round should go no further. */
async function submit(
  parts: PassParts,
  term: LeaseTerm,
  lane: Lane,
  payments: readonly PaymentRecord[],
  fees: Fees,
): Promise<boolean> {
  const nonce = await findFreeNonce(parts, term)
  const signed = parts.relayer.sign(await carry(parts, payments), nonce, fees)
  const id = await parts.settlements.submit(
    term.lease,
    { ...signed, nonce },
    payments.map(payment => payment.key),
  )
  if (id === undefined) {
    // Another process took a payment, or the lease is gone: the next round sees what is left.
    term.nextNonce = undefined
    term.notifier.notify()
    return false
  }
  term.nextNonce = nonce + 1
  term.ended.reset()
  parts.metrics.batchSize.observe(payments.length)
  parts.metrics.transactions.inc({ outcome: 'saved' })
  parts.log.info('transaction saved', { hash: signed.hash, nonce, payments: payments.length })
  follow(parts, term, { ...signed, id, nonce, hashes: [signed.hash], payments }, lane)
  return true
}

/**
 * The lowest nonce that no open transaction has. Not the one after the highest: what was dropped leaves a gap, and
 * until that is filled no block takes anything after it.
 */
async function findFreeNonce({ node, relayer }: PassParts, term: LeaseTerm): Promise<number> {
  const taken = new Set([...term.following.values()].map(one => one.nonce))
  let nonce = term.nextNonce ?? (await node.nonce(relayer.address))
  while (taken.has(nonce)) nonce += 1
  return nonce
}

/** Lets a transaction be seen to its end beside everything else. */
function follow(
  parts: PassParts,
  term: LeaseTerm,
  transaction: OpenTransaction,
  lane = laneOf(transaction),
): void {
  const followParts: FollowParts = {
    ...parts,
    carry: payments => carry(parts, payments),
    conclude: (conclusions, closes) => conclude(parts, conclusions, closes),
    lowestOpenNonce: () => Math.min(...[...term.following.values()].map(one => one.nonce)),
  }
  const done = driveTransaction(followParts, term.lease, transaction, term.end.signal).then(end => {
    term.following.delete(transaction.id)
    if (end === 'dropped') term.nextNonce = undefined
    term.ended.notify()
    term.notifier.notify()
  })
  term.following.set(transaction.id, { nonce: transaction.nonce, lane, done })
}

/** Of one that an earlier holder of the lease has sent. */
function laneOf({ payments }: OpenTransaction): Lane {
  return payments.some(payment => payment.alone) ? 'alone' : 'together'
}

async function conclude(
  parts: PassParts,
  conclusions: readonly Conclusion[],
  closes?: ClosedTransaction,
): Promise<void> {
  const changed = new Set(await parts.settlements.conclude(conclusions, closes))
  const written = conclusions.filter(conclusion => changed.has(conclusion.key))
  for (const conclusion of written) {
    if (conclusion.to === 'captured') continue
    const failure = conclusion.to === 'failed' ? conclusion.failure : undefined
    countLoss(parts, conclusion)
    parts.metrics.payments.inc({ state: conclusion.to, reason: failure?.reason ?? '' })
    parts.log.info(`payment ${conclusion.to}`, {
      key: conclusion.key,
      transaction: conclusion.transaction,
      ...failure,
    })
  }
  parts.onConcluded(written)
}
