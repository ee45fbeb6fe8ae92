import { SETTLEMENT_PENDING, type SettleResponse } from '@farebox/payments/x402/facilitator-api'
import { nowSeconds } from '@farebox/protocol/time/clock'
import { isFinalFailure } from '../ledger/final-failure.ts'
import type { CaptureOutcome } from '../ledger/payment-ledger.ts'
import { usedUp } from './announce-budget.ts'
import type { AuthenticatedCaller, Engine } from './engine.ts'
import type { PaymentRequest } from './read-payment-request.ts'
import type { PaymentRefusal } from './refusal.ts'
import { verifyPayment } from './verify-payment.ts'

/** The response of `/settle` and its HTTP status. */
export interface SettleAnswer {
  readonly status: 200 | 400 | 403
  readonly body: SettleResponse
}

/**
 * Charges a payment and waits for the proof. Safe to repeat, also concurrently: a payment has one settlement, and every
 * caller gets its transaction. A payment that was not verified before is verified first.
 *
 * `settlement_pending` means that the outcome is not known yet. Throws as {@link verifyPayment} does; the outcome is then
 * unknown.
 */
export async function settleHeldPayment(
  engine: Engine,
  caller: AuthenticatedCaller,
  request: PaymentRequest,
): Promise<SettleAnswer> {
  const mismatch = refuseTerms(request)
  if (mismatch !== undefined) return refused(engine, request, mismatch)
  const bounds = { limits: engine.ownerLimits, nowSeconds: nowSeconds(engine.clock) }
  const charge = { payment: request.payment, binding: request.binding, owner: caller.owner, bounds }
  const capture = async (): Promise<CaptureOutcome> =>
    (await engine.chargeAtOnce(charge)) ?? (await engine.ledger.capture(charge))
  let outcome = await capture()
  if (outcome.kind === 'absent') {
    const verdict = await verifyPayment(engine, caller, request)
    outcome = await capture()
    // Another request for the same payment may have settled it meanwhile: then "used" means success, not refusal.
    const isFree = outcome.kind === 'absent' || outcome.kind === 'released'
    if (!verdict.ok && isFree)
      return (
        (await answerForgotten(engine, caller, request, verdict.refusal)) ??
        refused(engine, request, verdict.refusal)
      )
  }
  if (outcome.kind === 'released') {
    const forgotten = await answerForgotten(engine, caller, request)
    if (forgotten !== undefined) return forgotten
  }
  switch (outcome.kind) {
    case 'captured':
      return await awaitSettlement(engine, request, outcome)
    case 'settled':
      return settled(engine, request, outcome.transaction)
    case 'failed':
      return await answerFailure(engine, request, outcome)
    case 'over-budget':
      throw usedUp(outcome.budget, nowSeconds(engine.clock))
    case 'released':
    case 'absent':
      return failed(engine, request, {
        reason: 'hold_released',
        message: 'the hold was given back: this payment is not charged',
        transaction: '',
      })
    case 'bound-otherwise':
      return failed(engine, request, {
        reason: 'payment_bound_otherwise',
        message: 'this authorization was first used for another job',
        transaction: '',
      })
  }
}

/**
 * A payment that the ledger does not have may have been charged before the ledger lost rows, whatever a check today would
 * find: too late, not covered, used. Undefined when the chain has no charge of this facilitator for this job.
 */
async function answerForgotten(
  engine: Engine,
  caller: AuthenticatedCaller,
  request: PaymentRequest,
  refusal?: PaymentRefusal,
): Promise<SettleAnswer | undefined> {
  const charge = await engine.recoverCharge(caller, request)
  const wasUsed = refusal?.reason === 'invalid_exact_evm_nonce_already_used'
  if (charge.kind === 'recovered') return settled(engine, request, charge.transaction)
  const isDoubtful = charge.kind === 'unclear' || (charge.kind === 'unused' && wasUsed)
  return isDoubtful ? pending(engine, request, '') : undefined
}

/** A charge must match the signed terms; the time window and the balance were checked when it was held. */
function refuseTerms({ proven, requirement }: PaymentRequest): PaymentRefusal | undefined {
  const { authorization, payer } = proven
  if (authorization.to !== requirement.payTo) {
    return {
      status: 200,
      reason: 'invalid_exact_evm_recipient_mismatch',
      message: `the payment is not to ${requirement.payTo}`,
      payer,
    }
  }
  if (authorization.value === requirement.amount) return undefined
  return {
    status: 200,
    reason: 'invalid_exact_evm_payload_authorization_value_mismatch',
    message: `the payment is not of ${requirement.amount}`,
    payer,
  }
}

async function awaitSettlement(
  engine: Engine,
  request: PaymentRequest,
  { first, transaction }: { readonly first: boolean; readonly transaction: string },
): Promise<SettleAnswer> {
  if (first) engine.onCaptured(transaction !== '')
  const end = await engine.waiters.wait(request.payment.key, engine.settleWaitMs)
  if (end?.kind === 'settled') return settled(engine, request, end.transaction)
  if (end?.kind === 'failed') return failed(engine, request, end)
  return pending(engine, request, transaction)
}

/**
 * A failure is reported once it is final: until then a transaction that carried the payment may still be mined and pay it.
 */
async function answerFailure(
  engine: Engine,
  request: PaymentRequest,
  failure: Extract<CaptureOutcome, { kind: 'failed' }>,
): Promise<SettleAnswer> {
  const [record] = await engine.ledger.find([request.payment.key])
  const isFinal = record !== undefined && isFinalFailure(record, engine.network)
  return isFinal ? failed(engine, request, failure) : pending(engine, request, '')
}

function pending(engine: Engine, request: PaymentRequest, transaction: string): SettleAnswer {
  return failed(engine, request, {
    reason: SETTLEMENT_PENDING,
    message: 'not decided by the chain yet: ask again with the same payment',
    transaction,
  })
}

function settled({ network }: Engine, { payment }: PaymentRequest, transaction: string): SettleAnswer {
  const { from: payer, value: amount } = payment.authorization
  return { status: 200, body: { success: true, transaction, network: network.id, payer, amount } }
}

function failed(
  { network }: Engine,
  { payment }: PaymentRequest,
  end: { readonly reason: string; readonly message: string; readonly transaction: string },
): SettleAnswer {
  const { reason: errorReason, message: errorMessage, transaction } = end
  const body = {
    success: false,
    errorReason,
    errorMessage,
    transaction,
    network: network.id,
    payer: payment.authorization.from,
  }
  return { status: 200, body }
}

function refused(
  engine: Engine,
  request: PaymentRequest,
  { status, reason, message }: PaymentRefusal,
): SettleAnswer {
  return { ...failed(engine, request, { reason, message, transaction: '' }), status }
}
