import type { ProvenPayment } from '@farebox/payments/x402/verify-signature'
import type { Charge } from '@farebox/payments/x402/facilitator-api'
import { findSettlement, readBlockSeconds, readHead } from '@farebox/payments/chain/find-settlement'
import type { JsonRpc } from '@farebox/payments/chain/json-rpc'
import type { Network } from '@farebox/payments/networks'
import type { ChargeOutcome } from './payment-gate.ts'

/**
 * What became of a payment that was refused: by the chain where there is a node of our own, so that no facilitator can
 * make us work for nothing by a charge that never was; else by what the facilitator says (D9). What it was charged for
 * only a facilitator with our extension can say.
 */
export async function verifyCharge(
  { rpc, network }: { readonly rpc: JsonRpc | undefined; readonly network: Network },
  { authorization }: Pick<ProvenPayment, 'authorization'>,
  reported: Charge | undefined,
): Promise<ChargeOutcome> {
  if (rpc === undefined) return reported === undefined ? { kind: 'none' } : believe(reported)
  try {
    // By the chain's times alone: our own clock may be what lost the record.
    const verdict = await findSettlement(rpc, network, authorization, Number.POSITIVE_INFINITY)
    if (verdict.kind === 'settled') {
      const [head, chargedAt] = await Promise.all([readHead(rpc), readBlockSeconds(rpc, verdict.blockNumber)])
      // A chain that stands still does not keep a charge young, where somebody says otherwise.
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

/** A block may be a little ahead of the clock it is compared with. */
function age(nowSeconds: number, chargedAt: number): number {
  return Math.max(0, nowSeconds - chargedAt)
}
