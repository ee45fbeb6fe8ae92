import type { Network } from '@farebox/payments/networks'
import type { PaymentRecord } from '../ledger/payment-record.ts'
import type { Conclusion } from '../ledger/settlement-ledger.ts'
import type { ChainReader, Observation } from '../chain/chain-reader.ts'

/** The dependencies of judging a captured payment. */
export interface CapturedParts {
  readonly reader: ChainReader
  readonly network: Network
}

/**
 * After this many faults of its own a payment is not sent again: it succeeds in every simulation and fails in every
 * transaction.
 */
const MAX_FAULTS = 3

/**
 * The decision about a captured payment from an observation of it alone: it can be paid, the chain has decided it, or
 * nothing is certain now.
 */
export async function verifyCaptured(
  { reader, network }: CapturedParts,
  payment: PaymentRecord,
  observation: Observation,
): Promise<Conclusion | 'payable' | 'later'> {
  // A node that is behind the one that showed the balance, or the failed transaction, has no information about either.
  if (observation.blockNumber < payment.observedBlock) return 'later'
  if (observation.used) return await concludeUsed(reader, payment)
  if (observation.revert === undefined) {
    // For a payment that was proven before and then undone, the payer is not at fault.
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
    // A payment that was sent before may be in a block that this node has not seen, or in one that returns after a
    // reorganisation.
    const final = Number(payment.authorization.validBefore) + network.finalitySeconds
    if (payment.attempts > 0 && observation.blockSeconds <= final) return 'later'
    return failedConclusion(
      payment,
      'invalid_exact_evm_payload_authorization_valid_before',
      'the authorization expired before it was settled',
      false,
    )
  }
  // Its job is delivered: while the authorization is valid, the payer may get the money again.
  return payment.wasSettled ? 'later' : failedConclusion(payment, reason, message)
}

/**
 * The nonce is used: a full payment by another account's transaction counts, a cancellation does not (PAY-10, PAY-16). The
 * payer has the right to cancel: if an agent settles anyway, the payer is not at fault (D41).
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
