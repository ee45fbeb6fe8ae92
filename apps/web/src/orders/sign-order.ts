import { deadlineAfterSigning } from '@farebox/client/internal/pay/sign-for-job'
import type { QuoteAnswer } from '@farebox/platform-api/jobs'
import type { JsonObject } from '@farebox/protocol/fields/field'
import type { SignedOrder } from '../kept/order.ts'
import type { Wallet } from '../wallet/wallet.ts'
import { signQuote } from './sign-quote.ts'

/** The ordered capability, and its input. */
export interface OrderContent {
  readonly agentId: number
  readonly agentName: string
  readonly capability: string
  readonly input: JsonObject
}

/**
 * Signs the payment for one job, using its quote.
 *
 * Throws an `Error` with a sentence when the pages cannot show the complete quote to the reader.
 */
export async function signOrder(
  wallet: Wallet,
  content: OrderContent,
  quote: QuoteAnswer,
): Promise<SignedOrder> {
  const usableUntil = Math.floor(Date.now() / 1_000) + Math.ceil(quote.max_timeout_seconds)
  const { agentId, capability } = content
  const { jobId, header } = await signQuote(wallet, quote, { agentId, capability, usableUntil })
  const now = Date.now() / 1_000
  const deadline = deadlineAfterSigning(now, {
    deadlineSeconds: quote.max_deadline_seconds,
    validBefore: usableUntil,
  })
  if (deadline === undefined)
    throw new Error('Signing took too long, so the signature can no longer be used. Sign again.')
  return {
    job_id: jobId,
    agent_id: content.agentId,
    agent_name: content.agentName,
    capability: content.capability,
    input: content.input,
    deadline,
    payment: header,
    amount: quote.amount,
    pay_to: quote.pay_to,
    payer: wallet.address,
    wallet: wallet.name,
    usable_until: usableUntil,
    created_at: now,
  }
}
