import { receiptProvesPayment } from '@farebox/payments/chain/chain-proof'
import { readReceipt } from '@farebox/payments/chain/chain-receipt'
import { findSettlement, type ChainVerdict } from '@farebox/payments/chain/find-settlement'
import {
  HOLD_EXTENSION,
  type FacilitatorRequest,
  type HoldRequest,
} from '@farebox/payments/x402/facilitator-api'
import type { SettleOutcome } from '@farebox/payments/x402/facilitator-client'
import type { JsonRpc } from '@farebox/payments/chain/json-rpc'
import type { Network } from '@farebox/payments/networks'
import type { PaymentRequirement } from '@farebox/payments/x402/requirement'
import type { ProvenPayment } from '@farebox/payments/x402/verify-signature'
import { nowSeconds, sleep } from '@farebox/protocol/time/clock'
import type { RecordedPayment } from '../jobs/job.ts'
import { verifyCharge } from './verify-charge.ts'
import {
  createFacilitatorAbilities,
  type FacilitatorAbilities,
  type FacilitatorParts,
} from './facilitator-abilities.ts'
import { createUnaskedPayments, type UnaskedPayments } from './unasked-payments.ts'
import type {
  ChargeOutcome,
  InquiryTerms,
  PaymentGate,
  ReleaseTerms,
  Verdict,
  VerifyTerms,
} from './payment-gate.ts'

/** Longer than Farebox's facilitator waits for a block, so that its own answer `settlement_pending` arrives first. */
const SETTLE_TIMEOUT_MS = 25_000
const RELEASE_TIMEOUT_MS = 5_000
const RELEASE_TRIES = 3

interface Gate extends FacilitatorParts {
  readonly abilities: FacilitatorAbilities
  readonly unasked: UnaskedPayments
}

/**
 * Makes the gate to a facilitator. With the agent's own chain node every answer is checked against the chain (D9), so
 * that a wrong answer does no harm. Without a node, a facilitator that proves settlements by receipt and events (D10)
 * is trusted, as Farebox's own is.
 */
export function createFacilitatorGate(parts: FacilitatorParts): PaymentGate {
  const gate: Gate = {
    ...parts,
    abilities: createFacilitatorAbilities(parts),
    unasked: createUnaskedPayments(),
  }
  return {
    verify: (payment, terms) => verify(gate, payment, terms),
    findCharge: (payment, terms) => findCharge(gate, payment, terms),
    settle: payment => settle(gate, payment),
    clockAheadSeconds: () => parts.facilitatorClock?.aheadSeconds() ?? 0,
    release: ({ holdId }, terms) => release(gate, holdId, terms),
  }
}

async function verify(
  gate: Gate,
  payment: ProvenPayment,
  { requirement, binding, holdUntil, timeoutMs, trace }: VerifyTerms,
): Promise<Verdict> {
  const { facilitator, clock, abilities } = gate
  const endMs = clock.nowMs() + timeoutMs
  const refused = await abilities.refusal(timeoutMs)
  if (refused !== undefined) return { kind: 'unavailable', cause: refused }
  const leftMs = endMs - clock.nowMs()
  if (leftMs <= 0)
    return { kind: 'unavailable', cause: 'the facilitator was too slow to say what it supports' }
  const reported = await facilitator.verify(request(payment, requirement, { binding, holdUntil }), {
    timeoutMs: leftMs,
    trace,
  })
  if (reported.kind === 'valid') gate.unasked.add(payment.key)
  if (reported.kind !== 'invalid') return reported
  const { kind, reason, message, charge } = reported
  const holds = (await abilities.holds(timeoutMs)) === true
  return { kind, reason, message, charge: await verifyCharge(gate, payment, holds ? charge : undefined) }
}

async function findCharge(
  gate: Gate,
  payment: ProvenPayment,
  { requirement, binding, timeoutMs, trace }: InquiryTerms,
): Promise<ChargeOutcome> {
  const { facilitator, abilities } = gate
  const holds = await abilities.holds(timeoutMs)
  if (holds === undefined) return { kind: 'unknown', cause: 'the facilitator cannot be reached' }
  if (!holds) return await verifyCharge(gate, payment, undefined)
  const reported = await facilitator.verify(request(payment, requirement, { binding, inquiry: true }), {
    timeoutMs,
    trace,
  })
  if (reported.kind === 'unauthorized')
    return { kind: 'unknown', cause: 'the facilitator refused FACILITATOR_SECRET' }
  if (reported.kind === 'unavailable') return { kind: 'unknown', cause: reported.cause }
  // A facilitator without support for inquiries may have held the payment; the hold expires, and the payment was not
  // charged.
  return await verifyCharge(gate, payment, reported.kind === 'invalid' ? reported.charge : undefined)
}

async function settle(gate: Gate, payment: RecordedPayment): Promise<SettleOutcome> {
  const { facilitator, network, rpc, clock, abilities, unasked } = gate
  const holds = await abilities.holds(SETTLE_TIMEOUT_MS)
  if (holds === undefined) return { kind: 'unknown', cause: 'the facilitator cannot be reached' }
  const isFirst = unasked.take(payment.key)
  const asked = request(payment, payment.requirement, { binding: payment.binding })
  const reported = await facilitator.settle(asked, {
    timeoutMs: SETTLE_TIMEOUT_MS,
    trace: payment.trace,
  })
  let outcome = reported
  if (rpc !== undefined) {
    const chain = { rpc, network, nowSeconds: nowSeconds(clock) }
    outcome = await proveOnChain(chain, payment, isFirst ? reported : doubted(reported))
  } else if (!holds) outcome = { kind: 'unknown', cause: causeOf(reported) }
  if (outcome.kind !== 'unknown') unasked.decide(payment.key)
  return outcome
}

async function release(
  { facilitator, clock, log }: Gate,
  holdId: string,
  { binding, jobId: job, paymentKey: key, trace }: ReleaseTerms,
): Promise<void> {
  for (let tried = 1; tried <= RELEASE_TRIES; tried += 1) {
    try {
      return await facilitator.release({ holdId, binding }, { timeoutMs: RELEASE_TIMEOUT_MS, trace })
    } catch (error) {
      // The request of the job may have been answered by now, so its fields are not in the log's list of jobs any more.
      const fields = { cause: String(error), job, trace: trace.id, key }
      if (tried === RELEASE_TRIES) log.warn('hold release failed; it will expire', fields)
      else await sleep(clock, tried * 200)
    }
  }
}

/**
 * After an earlier settlement request with an unknown outcome, a refusal is not final: its transaction may still be
 * mined (D8).
 */
function doubted(reported: SettleOutcome): SettleOutcome {
  return reported.kind === 'failed'
    ? { kind: 'unknown', cause: `${reported.reason}, after an earlier try` }
    : reported
}

/** The agent's own node, and the agent's clock to compare it with. */
interface OwnChain {
  readonly rpc: JsonRpc
  readonly network: Network
  /** Unix seconds. */
  readonly nowSeconds: number
}

/**
 * Checks the facilitator's answer against the chain: a success must be there, and an unknown outcome is decided there
 * (D8).
 */
async function proveOnChain(
  { rpc, network, nowSeconds }: OwnChain,
  payment: RecordedPayment,
  reported: SettleOutcome,
): Promise<SettleOutcome> {
  try {
    if (reported.kind === 'settled' && (await isProven(rpc, network, payment, reported.transaction)))
      return reported
    const verdict = await findSettlement(rpc, network, payment.authorization, nowSeconds)
    return judge(verdict, network, payment, reported)
  } catch (error) {
    return {
      kind: 'unknown',
      cause: `the chain cannot be asked: ${error instanceof Error ? error.message : 'no answer'}`,
    }
  }
}

/** Checks the usual case with one call: the named transaction is the transfer. */
async function isProven(
  rpc: JsonRpc,
  network: Network,
  { authorization }: RecordedPayment,
  transaction: string,
): Promise<boolean> {
  const receipt = await readReceipt(rpc, transaction)
  return (
    receipt?.transactionHash === transaction.toLowerCase() &&
    receiptProvesPayment(network, authorization, receipt)
  )
}

/** The outcome of a payment according to the chain or, if the chain does not decide it, to the facilitator. */
function judge(
  verdict: ChainVerdict,
  network: Network,
  payment: RecordedPayment,
  reported: SettleOutcome,
): SettleOutcome {
  switch (verdict.kind) {
    case 'settled':
      return { kind: 'settled', transaction: verdict.transaction }
    case 'spent-otherwise': {
      const message =
        verdict.how === 'cancelled'
          ? 'the authorization was cancelled'
          : 'the authorization was used for another transfer'
      const reason = 'invalid_exact_evm_nonce_already_used'
      return verdict.isFinal
        ? { kind: 'failed', reason, message, transaction: verdict.transaction }
        : { kind: 'unknown', cause: `${message}, in a block that may still be replaced` }
    }
    case 'unclear':
      return { kind: 'unknown', cause: 'the authorization is used, its transfer is not found yet' }
    case 'unused': {
      const deadFromSeconds = Number(payment.authorization.validBefore) + network.finalitySeconds
      if (verdict.headSeconds > deadFromSeconds) {
        return {
          kind: 'failed',
          reason: 'authorization_expired',
          message: 'the authorization expired unused',
          transaction: '',
        }
      }
      // A refusal before a transaction was sent is final; afterwards only the chain or the end of the validity is.
      return reported.kind === 'failed' && reported.transaction === '' && !MAY_HAVE_SENT.test(reported.reason)
        ? reported
        : { kind: 'unknown', cause: causeOf(reported) }
    }
  }
}

/** Reasons that facilitators also give while one of their transactions is in progress. */
const MAY_HAVE_SENT = /nonce_already_used|transaction_failed|transaction_state|unexpected|pending|timeout/

function causeOf(reported: SettleOutcome): string {
  if (reported.kind === 'unknown') return reported.cause
  return reported.kind === 'failed' ? reported.reason : 'the transfer is not on the chain yet'
}

/** Makes the request with the agent's own requirement, never with the client's copy of it (D9). */
function request(
  payment: Pick<RecordedPayment, 'authorization' | 'signature'>,
  requirement: PaymentRequirement,
  hold: HoldRequest,
): FacilitatorRequest {
  const { authorization, signature } = payment
  return {
    x402Version: 2,
    paymentPayload: { x402Version: 2, accepted: requirement, payload: { authorization, signature } },
    paymentRequirements: requirement,
    extensions: { [HOLD_EXTENSION]: hold },
  }
}
