import type { PaymentRecord } from '../ledger/payment-record.ts'
import type { ClosedTransaction, Conclusion, OpenTransaction } from '../ledger/settlement-ledger.ts'
import { countLoss } from '../count-loss.ts'
import { driveTransaction, type FollowParts } from './transaction/drive-transaction.ts'
import type { Gathering } from './gathering.ts'
import type { Notifier } from './notifier.ts'
import { carry, planAlone, planTogether, type PlanParts } from './plan-settlement.ts'
import { MAX_BATCH, type Fees } from './account/relayer-account.ts'
import {
  chooseTerm,
  findFreeNonce,
  hasRoom,
  lowestOpenNonce,
  type Lane,
  type RelayerTerm,
} from './relayer-term.ts'

/** What a round works with. */
export interface PassParts
  extends
    Omit<FollowParts, 'conclude' | 'lowestOpenNonce' | 'carry' | 'relayer'>,
    Omit<PlanParts, 'relayer'> {
  /** Told of what was written down: whoever waits for a settlement hears it here. */
  readonly onConcluded: (conclusions: readonly Conclusion[]) => void
  /** Has this account, by its address, gas money for more than a few transactions? */
  readonly canPay: (relayer: string) => boolean
}

/** What the passes of one process share. */
export interface Desk {
  /** Names the process in the ledger. */
  readonly holder: string
  /** The accounts it sends from, by address. */
  readonly terms: Map<string, RelayerTerm>
  readonly gathering: Gathering
  /** Notified when there may be work. */
  readonly notifier: Notifier
}

/** So many of those that go alone are looked at for one that can go. */
const MAX_ALONE = 8

/**
 * One look at what is to be done: takes up transactions that were left open, then puts what is captured into
 * new ones, each saved before anybody else sees it.
 *
 * Rejects when ledger or node give no answer; what was saved until then is taken up by the next round.
 */
export async function runSettlementPass(
  parts: PassParts,
  desk: Desk,
  terms: readonly RelayerTerm[],
): Promise<void> {
  const relayers = terms.map(term => term.relayer.address)
  const sender = { network: parts.network.id, relayers, holder: desk.holder }
  const limits = { together: MAX_BATCH, alone: MAX_ALONE }
  const { together, alone, open } = await parts.settlements.backlog(sender, limits)
  for (const transaction of open) {
    const term = terms.find(({ relayer }) => relayer.address === transaction.relayer)
    if (term !== undefined && !term.following.has(transaction.id)) follow(parts, desk, term, transaction)
  }
  const choose = (lane: Lane): RelayerTerm | undefined => chooseTerm(terms, lane, parts.canPay)
  const batching = together.length > 0 ? choose('together') : undefined
  const lone = alone.length > 0 ? choose('alone') : undefined
  if (batching === undefined && lone === undefined) return
  await parts.confirmChain()
  try {
    if (batching !== undefined) await sendTogether(parts, desk, batching, together)
  } finally {
    // Whatever accounts with code do to the one lane, the other goes on, and the other way round.
    if (lone !== undefined) await sendAlone(parts, desk, lone, alone)
  }
}

async function sendTogether(
  parts: PassParts,
  desk: Desk,
  term: RelayerTerm,
  captured: readonly PaymentRecord[],
): Promise<void> {
  const fees = await readFees(parts)
  const plan = await planTogether({ ...parts, relayer: term.relayer }, captured, fees)
  if (plan.concluded.length > 0) await conclude(parts, plan.concluded)
  if (fees === undefined) return
  const more = captured.length === MAX_BATCH
  if (plan.together.length > 0 && !(await submit(parts, desk, term, 'together', plan.together, fees, more)))
    return
  for (const payment of plan.single) {
    if (!hasRoom(term, 'single') || !(await submit(parts, desk, term, 'single', [payment], fees))) break
  }
  if (more) desk.notifier.notify()
}

async function sendAlone(
  parts: PassParts,
  desk: Desk,
  term: RelayerTerm,
  captured: readonly PaymentRecord[],
): Promise<void> {
  const fees = await readFees(parts)
  const plan = await planAlone({ ...parts, relayer: term.relayer }, captured, fees)
  if (plan.concluded.length > 0) await conclude(parts, plan.concluded)
  if (fees !== undefined && plan.next !== undefined)
    await submit(parts, desk, term, 'alone', [plan.next], fees)
  else if (plan.concluded.length > 0) desk.notifier.notify()
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
  desk: Desk,
  term: RelayerTerm,
  lane: Lane,
  payments: readonly PaymentRecord[],
  fees: Fees,
  more = false,
): Promise<boolean> {
  const { relayer } = term
  const nonce = await findFreeNonce(parts.node, term)
  const signed = relayer.sign(await carry({ ...parts, relayer }, payments), nonce, fees)
  const id = await parts.settlements.submit(
    term.lease,
    { ...signed, nonce },
    payments.map(payment => payment.key),
  )
  if (id === undefined) {
    // Another process took a payment, or the lease is gone: the next round sees what is left.
    term.nextNonce = undefined
    desk.notifier.notify()
    return false
  }
  term.nextNonce = nonce + 1
  desk.gathering.sent(more)
  parts.metrics.batchSize.observe(payments.length)
  parts.metrics.transactions.inc({ outcome: 'saved' })
  parts.log.info('transaction saved', { hash: signed.hash, nonce, payments: payments.length })
  const transaction = { ...signed, id, relayer: relayer.address, nonce, hashes: [signed.hash], payments }
  follow(parts, desk, term, transaction, lane)
  return true
}

/** Lets a transaction be seen to its end beside everything else. */
function follow(
  parts: PassParts,
  desk: Desk,
  term: RelayerTerm,
  transaction: OpenTransaction,
  lane = laneOf(transaction),
): void {
  const { relayer } = term
  const followParts: FollowParts = {
    ...parts,
    relayer,
    carry: payments => carry({ ...parts, relayer }, payments),
    conclude: (conclusions, closes) => conclude(parts, conclusions, closes),
    lowestOpenNonce: () => lowestOpenNonce(term),
  }
  const done = driveTransaction(followParts, term.lease, transaction, term.end.signal).then(end => {
    term.following.delete(transaction.id)
    if (end === 'dropped') term.nextNonce = undefined
    desk.gathering.ended()
    desk.notifier.notify()
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
