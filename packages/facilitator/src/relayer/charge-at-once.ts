import { within } from '@farebox/protocol/internal/time/within'
import type { CaptureOutcome, CaptureRequest } from '../ledger/payment-ledger.ts'
import { followTransaction, logSaved, type FollowParts } from './follow-transaction.ts'
import type { PlanParts } from './plan-settlement.ts'
import { readFees, type FeeParts } from './read-fees.ts'
import {
  chooseTerm,
  countInFlight,
  findFreeNonce,
  type CanPay,
  type SenderState,
  type RelayerTerm,
} from './relayer-term.ts'

/** The dependencies of charging at once. */
export interface ChargeParts extends FollowParts, FeeParts, Omit<PlanParts, 'relayer'> {
  readonly canPay: CanPay
}

/**
 * The time for the node to answer before the payment is captured the ordinary way instead: a hold is safe only from its
 * capture on, and all other payments wait meanwhile.
 */
export const READY_MS = 900

/**
 * Charges a payment that arrives while nothing else is in progress and no batch was sent a moment ago: it is captured and
 * its transaction saved in one step of the ledger, then sent. That takes half as long as capturing it and then finding it in
 * the backlog. As for any other payment, the exact transaction is simulated first.
 *
 * Undefined when something is in progress or the payment cannot be sent by itself: nothing was changed, and it must be
 * captured to wait for its turn. Rejects when the ledger gives no answer.
 */
export async function chargeAtOnce(
  parts: ChargeParts,
  state: SenderState,
  request: CaptureRequest,
): Promise<CaptureOutcome | undefined> {
  const terms = [...state.terms.values()]
  if (state.isAtWork || state.batching.hasCompany() || terms.some(term => countInFlight(term) > 0))
    return undefined
  const term = chooseTerm(terms, 'together', parts.canPay)
  if (term === undefined) return undefined
  state.isAtWork = true
  try {
    return await charge(parts, state, term, request)
  } finally {
    state.isAtWork = false
    // Payments that arrived meanwhile are waiting.
    state.notifier.notify()
  }
}

async function charge(
  parts: ChargeParts,
  state: SenderState,
  term: RelayerTerm,
  request: CaptureRequest,
): Promise<CaptureOutcome | undefined> {
  const { relayer } = term
  const ready = await inTime(parts, makeReady(parts, term, request))
  if (ready === undefined) return undefined
  const { nonce, signed } = ready
  const { capture, submitted } = await parts.settlements.captureAndSubmit(
    term.lease,
    { ...signed, nonce },
    request,
  )
  if (submitted === undefined) {
    // There was no hold to charge, or the lease is lost. If captured, the payment waits for its turn.
    term.nextNonce = undefined
    return capture
  }
  const { id, payment } = submitted
  term.nextNonce = nonce + 1
  term.sent += 1
  state.batching.sent(1, false)
  parts.metrics.batchSize.observe(1)
  parts.metrics.transactions.inc({ outcome: 'saved' })
  const transaction = {
    ...signed,
    id,
    relayer: relayer.address,
    nonce,
    hashes: [signed.hash],
    payments: [payment],
  }
  logSaved(parts, transaction)
  followTransaction(parts, state, term, transaction, 'together')
  return { kind: 'captured', first: true, transaction: signed.hash }
}

/** The value if it arrives within {@link READY_MS}, otherwise undefined. */
async function inTime<Ready>({ clock }: ChargeParts, ready: Promise<Ready>): Promise<Ready | undefined> {
  return await within(clock, READY_MS, ready)
}

/** Checks that the payment would succeed now in a transaction of its own, and signs that transaction. */
async function makeReady(parts: ChargeParts, term: RelayerTerm, { payment }: CaptureRequest) {
  const { relayer } = term
  try {
    const fees = await readFees(parts)
    if (fees === undefined) return undefined
    const call = relayer.call([payment], 'multicall')
    const [[code], trial, nonce] = await Promise.all([
      parts.readCodes([payment.authorization.from]),
      parts.node.simulate(relayer.address, call, fees),
      findFreeNonce(parts.node, term),
      parts.confirmChain(),
    ])
    if (code?.kind !== 'none' || trial.kind !== 'passes') return undefined
    return { nonce, signed: relayer.sign(call, nonce, fees) }
  } catch {
    // The node gives no answer: the settlement loop reports that and tries again.
    return undefined
  }
}
