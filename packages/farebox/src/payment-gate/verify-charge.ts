import type { ProvenPayment } from '@farebox/payments/x402/verify-signature'
import type { Charge } from '@farebox/payments/x402/facilitator-api'
import { findSettlement, readBlockSeconds, readHead } from '@farebox/payments/chain/find-settlement'
import type { JsonRpc } from '@farebox/payments/chain/json-rpc'
import type { Network } from '@farebox/payments/networks'
import type { ChargeOutcome } from './payment-gate.ts'

/**
 * Finds the outcome of a refused payment: on the chain if the agent has its own node, so that no facilitator can claim
 * a charge that does not exist and get free work; otherwise by the facilitator's answer (D9). Only a facilitator with
 * Farebox's extension can tell which job it was charged for.
 */
export async function verifyCharge(
  { rpc, network }: { readonly rpc: JsonRpc | undefined; readonly network: Network },
  { authorization }: Pick<ProvenPayment, 'authorization'>,
  reported: Charge | undefined,
): Promise<ChargeOutcome> {
  if (rpc === undefined) return reported === undefined ? { kind: 'none' } : believe(reported)
  try {
    // Only the chain's times are used: the agent's clock may be the reason why the record was lost.
    const verdict = await findSettlement(rpc, network, authorization, Number.POSITIVE_INFINITY)
    if (verdict.kind === 'settled') {
      const [head, chargedAt] = await Promise.all([readHead(rpc), readBlockSeconds(rpc, verdict.blockNumber)])
      // If the chain has stopped, the time of the facilitator's answer is used, so that the charge does not stay
      // recent.
      const nowSeconds = Math.max(head.seconds, reported?.now ?? 0)
      const { transaction } = verdict
      return {
        kind: 'settled',
        transaction,
        binding: reported?.binding,
        ageSeconds: age(nowSeconds, chargedAt),
      }
    }
    if (reported !== undefined) return { kind: 'pending', binding: reported.binding }
    return verdict.kind === 'unclear'
      ? { kind: 'unknown', cause: 'the authorization is used, its transfer is not found yet' }
      : { kind: 'none' }
  } catch (error) {
    return {
      kind: 'unknown',
      cause: `the chain cannot be asked: ${error instanceof Error ? error.message : 'no answer'}`,
    }
  }
}

function believe({ state, binding, transaction, chargedAt, now }: Charge): ChargeOutcome {
  if (state === 'pending' || chargedAt === undefined) return { kind: 'pending', binding }
  return { kind: 'settled', transaction, binding, ageSeconds: age(now, chargedAt) }
}

/** The age is never negative: a block's time may be slightly ahead of the clock it is compared with. */
function age(nowSeconds: number, chargedAt: number): number {
  return Math.max(0, nowSeconds - chargedAt)
}
