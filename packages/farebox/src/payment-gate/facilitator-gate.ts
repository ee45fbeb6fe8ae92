import { findSettlement, type ChainVerdict } from '@farebox/payments/chain-proof'
import { HOLD_EXTENSION, type FacilitatorRequest, type HoldRequest } from '@farebox/payments/facilitator-api'
import type { SettleOutcome } from '@farebox/payments/facilitator-client'
import type { JsonRpc } from '@farebox/payments/json-rpc'
import type { Network } from '@farebox/payments/networks'
import type { PaymentRequirement } from '@farebox/payments/requirement'
import { sleep } from '../clock.ts'
import type { RecordedPayment } from '../jobs/job.ts'
import { createFacilitatorAbilities, type FacilitatorParts } from './facilitator-abilities.ts'
import type { PaymentGate } from './payment-gate.ts'

/** Longer than our facilitator waits for a block, so that it is the one to say `settlement_pending`. */
const SETTLE_TIMEOUT_MS = 25_000
const RELEASE_TIMEOUT_MS = 5_000
const RELEASE_TRIES = 3

/**
 * The gate to a facilitator. One of ours proves a settlement itself, by receipt and events (D10); any other is
 * asked as the x402 API says, and the chain has the last word on what it answers (D9).
 */
export function createFacilitatorGate(parts: FacilitatorParts): PaymentGate {
  const { facilitator, network, rpc, clock, log } = parts
  const abilities = createFacilitatorAbilities(parts)
  const unasked = createUnaskedPayments()
  return {
    async verify(payment, { requirement, binding, holdUntil, timeoutMs }) {
      const endMs = clock.nowMs() + timeoutMs
      const refused = await abilities.refusal(timeoutMs)
      if (refused !== undefined) return { kind: 'unavailable', cause: refused }
      const leftMs = endMs - clock.nowMs()
      if (leftMs <= 0)
        return { kind: 'unavailable', cause: 'the facilitator was too slow to say what it supports' }
      const told = await facilitator.verify(request(payment, requirement, { binding, holdUntil }), {
        timeoutMs: leftMs,
      })
      if (told.kind === 'valid') unasked.add(payment.key)
      return told
    },
    async settle(payment) {
      const holds = await abilities.holds(SETTLE_TIMEOUT_MS)
      if (holds === undefined) return { kind: 'unknown', cause: 'the facilitator cannot be reached' }
      const isFirst = unasked.take(payment.key)
      const asked = request(payment, payment.requirement, { binding: payment.binding })
      const told = await facilitator.settle(asked, { timeoutMs: SETTLE_TIMEOUT_MS })
      if (holds && told.kind !== 'unknown') return told
      return rpc === undefined
        ? { kind: 'unknown', cause: causeOf(told) }
        : await proveOnChain(rpc, network, payment, isFirst ? told : doubted(told))
    },
    async release({ holdId }) {
      for (let tried = 1; tried <= RELEASE_TRIES; tried += 1) {
        try {
          return await facilitator.release(holdId, { timeoutMs: RELEASE_TIMEOUT_MS })
        } catch (error) {
          if (tried === RELEASE_TRIES)
            log.warn('a hold was not released, it ends by itself', { cause: String(error) })
          else await sleep(clock, tried * 200)
        }
      }
    },
  }
}

/** How many payments between verify and settle are remembered; of the older ones the chain alone says how they ended. */
const MAX_UNASKED = 10_000

/**
 * The payments that were verified here and that no settlement was asked for yet: of these a refusal can be final,
 * because no earlier request for them can be under way, from this process or from one before it.
 */
function createUnaskedPayments(): { add(key: string): void; take(key: string): boolean } {
  const keys = new Set<string>()
  return {
    add(key) {
      keys.delete(key)
      keys.add(key)
      const [oldest] = keys
      if (keys.size > MAX_UNASKED && oldest !== undefined) keys.delete(oldest)
    },
    take: key => keys.delete(key),
  }
}

/** After an earlier try whose end is not known, a refusal says nothing: what was sent then may still be mined (D8). */
function doubted(told: SettleOutcome): SettleOutcome {
  return told.kind === 'failed' ? { kind: 'unknown', cause: `${told.reason}, after an earlier try` } : told
}

/** What the facilitator says, checked against the chain: a success must be there, a doubt is decided there (D8). */
async function proveOnChain(
  rpc: JsonRpc,
  network: Network,
  payment: RecordedPayment,
  told: SettleOutcome,
): Promise<SettleOutcome> {
  let verdict: ChainVerdict
  try {
    verdict = await findSettlement(rpc, network, payment.authorization)
  } catch (error) {
    return {
      kind: 'unknown',
      cause: `the chain cannot be asked: ${error instanceof Error ? error.message : 'no answer'}`,
    }
  }
  switch (verdict.kind) {
    case 'settled':
      return { kind: 'settled', transaction: verdict.transaction }
    case 'spent-otherwise':
      return {
        kind: 'failed',
        reason: 'invalid_exact_evm_nonce_already_used',
        message:
          verdict.how === 'cancelled'
            ? 'the authorization was cancelled'
            : 'the authorization was used for another transfer',
        transaction: verdict.transaction,
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
      // A refusal before anything was sent is final; after a send, only the chain or the end of validity is.
      return told.kind === 'failed' && told.transaction === '' && !MAY_HAVE_SENT.test(told.reason)
        ? told
        : { kind: 'unknown', cause: causeOf(told) }
    }
  }
}

/** Reasons that facilitators also give when a transaction of theirs is, or was, under way. */
const MAY_HAVE_SENT = /nonce_already_used|transaction_failed|transaction_state|unexpected|pending|timeout/

function causeOf(told: SettleOutcome): string {
  if (told.kind === 'unknown') return told.cause
  return told.kind === 'failed' ? told.reason : 'the transfer is not on the chain yet'
}

/** Always our own requirement, never the client's echo of it (D9). */
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
