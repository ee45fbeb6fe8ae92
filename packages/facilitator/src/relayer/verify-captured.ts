import type { Network } from '@farebox/payments/networks'
import type { PaymentRecord } from '../ledger/payment-record.ts'
import type { Conclusion } from '../ledger/settlement-ledger.ts'
import type { ChainReader, Observation } from '../chain/chain-reader.ts'

/** The dependencies of judging a captured payment. */
export interface CapturedParts {
  readonly reader: ChainReader
  readonly network: Network
}

/** Passes every trial and fails in every transaction: after so many faults of its own it is not sent again. */
const MAX_FAULTS = 3

/**
 * What one look at a captured payment, tried by itself, says of it: that it can be paid, that the chain has decided it,
 * or nothing certain now.
 */
export async function verifyCaptured(
  { reader, network }: CapturedParts,
  payment: PaymentRecord,
  observation: Observation,
): Promise<Conclusion | 'payable' | 'later'> {
  // A node that is behind the one which saw the money, or the failed transaction, knows nothing of either.
  if (observation.blockNumber < payment.observedBlock) return 'later'
  if (observation.used) return await concludeUsed(reader, payment)
  if (observation.revert === undefined) {
    // A payment that was proven before, and undone, is not the payer's fault.
    return payment.faults < MAX_FAULTS || payment.wasSettled
      ? 'payable'
      : failedConclusion(
          payment,
          'invalid_exact_evm_transaction_failed',
          `${payment.faults} transactions with this transfer did not pay it`,
        )
  }
  const { reason, message } = observation.revert
  if (observation.blockSeconds >= Number(payment.authorization.validBefore)) {
    // One that was sent before may be in a block that this node has not seen, or that is coming back.
    const final = Number(payment.authorization.validBefore) + network.finalitySeconds
    if (payment.attempts > 0 && observation.blockSeconds <= final) return 'later'
    return failedConclusion(
      payment,
      'invalid_exact_evm_payload_authorization_valid_before',
      'the authorization expired before it was settled',
      false,
    )
  }
  // Its job is delivered: as long as the authorization is good the payer may have the money again.
  return payment.wasSettled ? 'later' : failedConclusion(payment, reason, message)
}

/**
 * Used by somebody: a foreign transaction that paid it in full counts, a cancellation does not (PAY-10,
 * PAY-16). Who cancels has the right to: an agent that settles all the same is no fault of the payer (D41).
 */
async function concludeUsed(reader: ChainReader, payment: PaymentRecord): Promise<Conclusion | 'later'> {
  const verdict = await reader.findSettlement(payment)
  switch (verdict.kind) {
    case 'settled':
      return {
        key: payment.key,
        from: payment.state,
        to: 'settled',
        transaction: verdict.transaction,
        blockNumber: verdict.blockNumber,
      }
    case 'spent-otherwise':
      return verdict.how === 'cancelled'
        ? failedConclusion(payment, USED, 'the payer cancelled the authorization', false)
        : failedConclusion(payment, USED, 'the payer used the nonce for another transfer')
    case 'unused':
    case 'unclear':
      return 'later'
  }
}

const USED = 'invalid_exact_evm_nonce_already_used'

/** The conclusion that a payment failed; `blamed` counts against its payer. */
export function failedConclusion(
  payment: PaymentRecord,
  reason: string,
  message: string,
  blamed = true,
): Extract<Conclusion, { readonly to: 'failed' }> {
  return {
    key: payment.key,
    from: payment.state,
    to: 'failed',
    failure: { reason, message },
    transaction: payment.transaction,
    blamed,
    ...(payment.wasSettled && { lostAtomic: BigInt(payment.authorization.value) }),
  }
}
