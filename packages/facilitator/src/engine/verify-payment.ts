import { randomUUID } from 'node:crypto'
import { checkTerms, type TermsRefusal } from '@farebox/payments/x402/check-terms'
import { formatUsdc } from '@farebox/protocol/money/usdc'
import { nowSeconds, sleep } from '@farebox/protocol/time/clock'
import type { Observation } from '../chain/chain-reader.ts'
import type { HoldToRelease, HoldOutcome } from '../ledger/payment-ledger.ts'
import type { AuthenticatedCaller, Engine } from './engine.ts'
import { findCharge } from './find-charge.ts'
import type { PaymentRequest } from './read-payment-request.ts'
import { refusePayment, UnavailableError, type PaymentRefusal } from './refusal.ts'
import { readHoldOutcome, type VerifyVerdict } from './verify-verdict.ts'

/**
 * A payer with a settlement in progress may appear to have too little balance; it is read again this often, with a pause.
 */
const SETTLING_LOOKS = 4
const SETTLING_LOOK_MS = 100

/** The reason in the response to an inquiry, with or without a charge. */
const INQUIRY_REASON = 'inquiry_holds_nothing'

/** Refusal reasons of payments that may have been charged before. */
const MAY_BE_CHARGED: ReadonlySet<string> = new Set([
  INQUIRY_REASON,
  'invalid_exact_evm_nonce_already_used',
  'invalid_exact_evm_payload_authorization_valid_before',
  'payment_bound_otherwise',
])

const TERM_NAMES: { readonly [Field in TermsRefusal['field']]: string } = {
  to: 'invalid_exact_evm_recipient_mismatch',
  value: 'invalid_exact_evm_payload_authorization_value_mismatch',
  accepted: 'invalid_payment_requirements',
  validAfter: 'invalid_exact_evm_payload_authorization_valid_after',
  validBefore: 'invalid_exact_evm_payload_authorization_valid_before',
}

/**
 * Checks a payment and holds it: the payer's balance, less all open payments, is reserved for it until `holdUntil`. A
 * payment that was charged before is refused with that charge; an inquiry asks only for the charge.
 *
 * Throws {@link UnavailableError} when no verdict is possible now, and passes on errors of the ledger and the chain when
 * they are unreachable.
 */
export async function verifyPayment(
  engine: Engine,
  caller: AuthenticatedCaller,
  request: PaymentRequest,
): Promise<VerifyVerdict> {
  const verdict = request.isInquiry
    ? answerInquiry(caller, request)
    : await checkAndHold(engine, caller, request)
  if (verdict.ok) return verdict
  if (verdict.wasCaptured !== true && !MAY_BE_CHARGED.has(verdict.refusal.reason)) return verdict
  const charge = await findCharge(engine, caller, request)
  return charge === undefined ? verdict : { ok: false, refusal: { ...verdict.refusal, charge } }
}

function answerInquiry(caller: AuthenticatedCaller, { requirement, proven }: PaymentRequest): VerifyVerdict {
  const unowned = refusePayTo(caller, requirement.payTo, proven.payer)
  const message = 'an inquiry holds nothing: extensions say whether the payment was charged before'
  return { ok: false, refusal: unowned ?? refusePayment(INQUIRY_REASON, message, proven.payer) }
}

async function checkAndHold(
  engine: Engine,
  caller: AuthenticatedCaller,
  request: PaymentRequest,
): Promise<VerifyVerdict> {
  const refused = refuseLocally(engine, caller, request)
  if (refused !== undefined) return { ok: false, refusal: refused }
  const reason = engine.unavailable()
  if (reason !== undefined) throw new UnavailableError(reason)
  // A payment is not refused as too late by a clock, or a node, that is known to be wrong.
  const untimely = refuseTerms(engine, request)
  if (untimely !== undefined) return { ok: false, refusal: untimely }
  const { payer } = request.proven
  for (let look = 1; ; look += 1) {
    const observation = await engine.observe(request.payment)
    const unpayable = refuseObserved(observation, payer)
    if (unpayable !== undefined) return { ok: false, refusal: unpayable }
    // Nearly all payers are ordinary accounts; the code is read only for the others.
    const code = observation.codeSize === 0 ? 'none' : await engine.readCode(payer)
    const outcome = await hold(engine, caller, request, observation, code === 'unknown')
    if (outcome.kind === 'insufficient' && outcome.settlingAtomic > 0n) {
      if (look < SETTLING_LOOKS) {
        await sleep(engine.clock, SETTLING_LOOK_MS)
        continue
      }
      // The payer's money has moved and the caller knows it, but the ledger is behind.
      if (engine.isBeingWritten(payer))
        throw new UnavailableError('a settlement of this payer is being written down')
    }
    if (outcome.kind === 'held') {
      const late = refuseTerms(engine, request)
      if (late !== undefined) {
        const { holdId } = outcome
        return await takeBack(engine, { holdId, binding: request.binding, owner: caller.owner }, late)
      }
    }
    engine.announceBudget(caller, outcome)
    return readHoldOutcome(outcome, observation, payer, nowSeconds(engine.clock))
  }
}

/**
 * Withdraws a hold that came too late because the chain and the ledger were slow: a concurrent request was refused as too
 * late and found no hold, so this one must be refused too.
 */
async function takeBack(engine: Engine, held: HoldToRelease, late: PaymentRefusal): Promise<VerifyVerdict> {
  await engine.ledger.release(held)
  return { ok: false, refusal: late }
}

/** The refusals that need no request to the chain or the ledger and do not depend on the time. */
function refuseLocally(
  engine: Engine,
  caller: AuthenticatedCaller,
  request: PaymentRequest,
): PaymentRefusal | undefined {
  const { proven, requirement } = request
  const { payer } = proven
  const unowned = refusePayTo(caller, requirement.payTo, payer)
  if (unowned !== undefined) return unowned
  if (BigInt(requirement.amount) < engine.minimumAtomic) {
    const message = `the smallest payment taken here is ${formatUsdc(engine.minimumAtomic)} USDC`
    return refusePayment('amount_below_minimum', message, payer)
  }
  return undefined
}

/** Does the payment meet the requirement at this moment, and is it within its time window? */
function refuseTerms(engine: Engine, { proven, requirement }: PaymentRequest): PaymentRefusal | undefined {
  const terms = checkTerms(proven, requirement, engine.chainNow())
  return terms && refusePayment(TERM_NAMES[terms.field], terms.reason, proven.payer)
}

/** A secret accepts payments to its owner's wallets only (BOLA; D10). */
function refusePayTo(caller: AuthenticatedCaller, payTo: string, payer: string): PaymentRefusal | undefined {
  if (caller.wallets.includes(payTo)) return undefined
  const message = `this FACILITATOR_SECRET does not own ${payTo}: its owner must add the wallet to it`
  return { status: 403, reason: 'pay_to_not_owned', message, payer }
}

function refuseObserved({ used, revert }: Observation, payer: string): PaymentRefusal | undefined {
  if (used)
    return refusePayment(
      'invalid_exact_evm_nonce_already_used',
      'the authorization was used or cancelled: ask for the job it was sent with; if that was not charged, sign a new one',
      payer,
    )
  return revert && refusePayment(revert.reason, revert.message, payer)
}

async function hold(
  engine: Engine,
  caller: AuthenticatedCaller,
  request: PaymentRequest,
  observed: Observation,
  alone: boolean,
): Promise<HoldOutcome> {
  const now = nowSeconds(engine.clock)
  const validBefore = Number(request.payment.authorization.validBefore)
  const asked = request.holdUntil ?? now + (request.maxTimeoutSeconds ?? validBefore - now)
  return await engine.ledger.hold({
    payment: request.payment,
    binding: request.binding,
    owner: caller.owner,
    secretId: caller.id,
    holdId: randomUUID(),
    // A hold ends at `validBefore` at the latest, and at least one second from now.
    holdUntil: Math.ceil(Math.max(now + 1, Math.min(asked, validBefore))),
    nowSeconds: now,
    observed,
    alone,
    trace: request.trace,
    limits: engine.ownerLimits,
  })
}
