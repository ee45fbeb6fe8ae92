import { receiptProvesPayment } from '@farebox/payments/chain/chain-proof'
import { readReceipt } from '@farebox/payments/chain/chain-receipt'
import { findSettlement } from '@farebox/payments/chain/find-settlement'
import { findNetwork, type Network } from '@farebox/payments/networks'
import { nowSeconds } from '@farebox/protocol/time/clock'
import { describeError } from '@farebox/server/log'
import type { PlatformParts } from '../../platform-parts.ts'
import { jobFields } from '../records/job-fields.ts'
import type { JobRow } from '../records/job-row.ts'
import type { PaymentStatus } from '../records/states.ts'

/** The state of a job's payment on the chain. */
export interface PaymentOnChain {
  readonly payment: PaymentStatus
  /** The transaction that paid. */
  readonly transaction?: string
  /** The block that contains it. */
  readonly blockNumber?: bigint
}

/**
 * Checks a job's payment on the chain. A transfer counts when its transaction succeeded and contains the expected events
 * (D10). When the node cannot be reached or is not certain, the payment is reported as open.
 *
 * @param hint - the transaction that the agent names; it only speeds up the proof and is never trusted
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
    parts.log.warn('could not read the state of a payment from the chain', {
      ...jobFields(job),
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
