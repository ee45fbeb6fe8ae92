import type { ChainReader } from '../chain/chain-reader.ts'
import type { ReconciliationLedger } from '../ledger/reconciliation-ledger.ts'
import type { AuthenticatedCaller, RecoveredCharge } from './engine.ts'
import type { PaymentRequest } from './read-payment-request.ts'

/**
 * Searches the chain for a charge of this facilitator that the ledger does not have: a database that failed over with loss,
 * or was restored, lost its last seconds. A transfer sent by one of our relayer accounts is such a charge; its row is
 * written again, for the first job that asks and for no other (I1). Only a caller that names the job gets this answer:
 * without a binding the charge cannot be attributed.
 *
 * Rejects when the chain or the ledger gives no answer.
 */
export async function recoverCharge(
  { reader, audit }: { readonly reader: ChainReader; readonly audit: Pick<ReconciliationLedger, 'adopt'> },
  caller: AuthenticatedCaller,
  { payment, binding }: Pick<PaymentRequest, 'payment' | 'binding'>,
): Promise<RecoveredCharge> {
  const isBound = binding !== payment.key
  if (!isBound || !caller.wallets.includes(payment.authorization.to)) return { kind: 'none' }
  const verdict = await reader.findSettlement(payment)
  if (verdict.kind === 'unclear' || verdict.kind === 'unused') return { kind: verdict.kind }
  if (verdict.kind !== 'settled') return { kind: 'none' }
  const { transaction, blockNumber } = verdict
  const relayer = await reader.readSender(transaction)
  // The node that answers now is behind the one that showed the transfer.
  if (relayer === undefined) return { kind: 'unclear' }
  const charge = {
    payment,
    binding,
    owner: caller.owner,
    secretId: caller.id,
    relayer,
    transaction,
    blockNumber,
  }
  return (await audit.adopt(charge)) ? { kind: 'recovered', transaction } : { kind: 'none' }
}
