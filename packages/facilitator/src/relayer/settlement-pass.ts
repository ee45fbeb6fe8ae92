import type { PaymentRecord } from '../ledger/payment-record.ts'
import type { Conclusion } from '../ledger/settlement-ledger.ts'
import { MAX_BATCH, type Fees, type SettlementCall } from './account/relayer-account.ts'
import { conclude, followTransaction, logSaved, type FollowParts } from './follow-transaction.ts'
import { planAlone, planTogether, type PlanParts } from './plan-settlement.ts'
import { readFees, type FeeParts } from './read-fees.ts'
import {
  chooseTerm,
  findFreeNonce,
  hasRoomInLane,
  isHeldUp,
  type CanPay,
  type SenderState,
  type SettlementLane,
  type RelayerTerm,
} from './relayer-term.ts'

/** The dependencies of a settlement pass. */
export interface PassParts extends FollowParts, FeeParts, Omit<PlanParts, 'relayer'> {
  readonly canPay: CanPay
  /** See `ChainWatch`. */
  readonly reorganisations: () => number
}

/** The maximum number of payments that are checked to find one that can be sent alone. */
const MAX_ALONE = 8

/**
 * One pass over the backlog: resumes open transactions, then puts captured payments into new ones, each saved before it is
 * sent.
 *
 * Rejects when the ledger or the node gives no answer; the next pass resumes what was saved until then.
 */
export async function runSettlementPass(
  parts: PassParts,
  state: SenderState,
  terms: readonly RelayerTerm[],
): Promise<void> {
  const relayers = terms.map(term => term.relayer.address)
  const sender = { network: parts.network.id, relayers, holder: state.holder }
  const choose = (lane: SettlementLane): RelayerTerm | undefined =>
    chooseTerm(terms, lane, parts.canPay, term => isHeldUp(term, parts.clock.nowMs(), parts.blockMs()))
  // Payments that this process cannot send now are left to other processes.
  const limits = {
    together: choose('together') === undefined ? 0 : MAX_BATCH,
    alone: choose('alone') === undefined ? 0 : MAX_ALONE,
  }
  const { together, alone, open } = await parts.settlements.backlog(sender, limits)
  for (const transaction of open) {
    const term = terms.find(({ relayer }) => relayer.address === transaction.relayer)
    if (term !== undefined && !term.following.has(transaction.id))
      followTransaction(parts, state, term, transaction)
  }
  const batching = together.length > 0 ? choose('together') : undefined
  const lone = alone.length > 0 ? choose('alone') : undefined
  if (batching === undefined && lone === undefined) return
  try {
    if (batching !== undefined) await sendTogether(parts, state, batching, together)
  } finally {
    // Each lane proceeds independently: accounts with code in one lane cannot delay the other.
    if (lone !== undefined) await sendAlone(parts, state, lone, alone)
  }
}

async function sendTogether(
  parts: PassParts,
  state: SenderState,
  term: RelayerTerm,
  waiting: readonly PaymentRecord[],
): Promise<void> {
  const captured = affordable(parts, term, waiting)
  const fees = await readFees(parts)
  const plan = await onKnownChain(parts, state, () =>
    planTogether({ ...parts, relayer: term.relayer }, captured, fees),
  )
  if (fees === undefined) return
  const more = waiting.length === MAX_BATCH || captured.length < waiting.length
  const send = async (
    lane: SettlementLane,
    payments: readonly PaymentRecord[],
    hasMore = false,
  ): Promise<boolean> =>
    await submit(parts, state, term, { lane, payments, call: plan.call(payments), fees, hasMore })
  if (plan.together.length > 0 && !(await send('together', plan.together, more))) return
  for (const payment of plan.single) {
    if (!hasRoomInLane(term, 'single') || !(await send('single', [payment]))) break
  }
  if (more) state.notifier.notify()
}

/** As many payments as the account has gas money for: with little left, some are settled instead of none. */
function affordable(
  { canPay }: PassParts,
  { relayer }: RelayerTerm,
  waiting: readonly PaymentRecord[],
): readonly PaymentRecord[] {
  let count = waiting.length
  while (count > 1 && !canPay(relayer.address, count)) count = Math.floor(count / 2)
  return waiting.slice(0, count)
}

async function sendAlone(
  parts: PassParts,
  state: SenderState,
  term: RelayerTerm,
  captured: readonly PaymentRecord[],
): Promise<void> {
  const fees = await readFees(parts)
  const plan = await onKnownChain(parts, state, () =>
    planAlone({ ...parts, relayer: term.relayer }, captured, fees),
  )
  if (fees !== undefined && plan.next !== undefined)
    await submit(parts, state, term, {
      lane: 'alone',
      payments: [plan.next.payment],
      call: plan.next.call,
      fees,
    })
  else if (plan.concluded.length > 0) state.notifier.notify()
}

/**
 * Makes a plan and records its conclusions. In parallel, so that no time is lost, the node is checked to be on the known
 * chain; it is checked again before conclusions are recorded, because they are final. If blocks were replaced meanwhile,
 * nothing is recorded and the next pass decides again.
 */
async function onKnownChain<Plan extends { readonly concluded: readonly Conclusion[] }>(
  parts: PassParts,
  state: SenderState,
  makePlan: () => Promise<Plan>,
): Promise<Plan> {
  const before = parts.reorganisations()
  const [plan] = await Promise.all([makePlan(), parts.confirmChain()])
  if (plan.concluded.length === 0) return plan
  await parts.confirmChain()
  if (parts.reorganisations() === before) await conclude(parts, plan.concluded)
  else state.notifier.notify()
  return plan
}

/** A transaction to be made. */
interface Planned {
  readonly lane: SettlementLane
  readonly payments: readonly PaymentRecord[]
  /** The call that carries them; already simulated for payments sent together or alone. */
  readonly call: SettlementCall
  readonly fees: Fees
  /** Another full transaction is left waiting. */
  readonly hasMore?: boolean
}

/** Signs, saves and sends one transaction; false when this pass should stop. */
async function submit(
  parts: PassParts,
  state: SenderState,
  term: RelayerTerm,
  { lane, payments, call, fees, hasMore = false }: Planned,
): Promise<boolean> {
  const { relayer } = term
  const nonce = await findFreeNonce(parts.node, term)
  const signed = relayer.sign(call, nonce, fees)
  const id = await parts.settlements.submit(
    term.lease,
    { ...signed, nonce },
    payments.map(payment => payment.key),
  )
  if (id === undefined) {
    // Another process took a payment, or the lease is lost: the next pass works with what is left.
    term.nextNonce = undefined
    state.notifier.notify()
    return false
  }
  term.nextNonce = nonce + 1
  term.sent += 1
  state.batching.sent(payments.length, hasMore)
  parts.metrics.batchSize.observe(payments.length)
  parts.metrics.transactions.inc({ outcome: 'saved' })
  const transaction = { ...signed, id, relayer: relayer.address, nonce, hashes: [signed.hash], payments }
  logSaved(parts, transaction)
  followTransaction(parts, state, term, transaction, lane)
  return true
}
