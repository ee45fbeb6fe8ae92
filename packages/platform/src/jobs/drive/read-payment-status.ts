import { receiptProvesPayment } from '@farebox/payments/chain/chain-proof'
import { readReceipt } from '@farebox/payments/chain/chain-receipt'
import { findSettlement } from '@farebox/payments/chain/find-settlement'
import { findNetwork, type Network } from '@farebox/payments/networks'
import { nowSeconds } from '@farebox/protocol/time/clock'
import { describeError } from '@farebox/server/log'
import type { PlatformParts } from '../../platform-parts.ts'
import type { JobRow } from '../records/job-row.ts'
import type { PaymentStatus } from '../records/states.ts'

/** What the chain says of a job's payment. */
export interface PaymentOnChain {
  readonly payment: PaymentStatus
  /** Where it was paid. */
  readonly transaction?: string
  /** The block that has it. */
  readonly blockNumber?: bigint
}

/**
 * Asks the chain what became of a job's payment: a transfer counts when its transaction succeeded and its events are
 * there (D10). Where the node cannot be reached or is not sure, the payment is open: nothing is known.
 *
 * @param hint - the transaction that the agent names; a quicker way to the proof, and never believed
 */
export async function readPaymentStatus(
  parts: PlatformParts,
  job: JobRow,
  hint?: string,
): Promise<PaymentOnChain> {
  const network = findNetwork(job.network)
  if (network === undefined) return { payment: 'open' }
  try {
    const hinted = hint === undefined ? undefined : await proveByHint(parts, network, job, hint)
    if (hinted !== undefined) return hinted
    const verdict = await findSettlement(parts.rpc, network, job.authorization, nowSeconds(parts.clock))
    if (verdict.kind === 'settled') {
      const { transaction, blockNumber } = verdict
      return { payment: 'paid', transaction, blockNumber }
    }
    const certainAt = Number(job.authorization.validBefore) + network.finalitySeconds
    const isDead =
      (verdict.kind === 'spent-otherwise' && verdict.isFinal) ||
      (verdict.kind === 'unused' && verdict.headSeconds > certainAt)
    return { payment: isDead ? 'dead' : 'open' }
  } catch (error) {
    parts.log.warn('the chain did not say what became of a payment', {
      job: job.jobId,
      error: describeError(error),
    })
    return { payment: 'open' }
  }
}

async function proveByHint(
  parts: PlatformParts,
  network: Network,
  { authorization }: JobRow,
  hint: string,
): Promise<PaymentOnChain | undefined> {
  const receipt = await readReceipt(parts.rpc, hint)
  if (receipt === undefined || !receiptProvesPayment(network, authorization, receipt)) return undefined
  return { payment: 'paid', transaction: hint.toLowerCase(), blockNumber: receipt.blockNumber }
}
