import { agreeOnQuote } from '@farebox/client/internal/pay/agree-on-quote'
import { signForJob } from '@farebox/client/internal/pay/sign-for-job'
import type { QuoteAnswer } from '@farebox/platform-api/jobs'
import { keccak } from '../wallet/keccak.ts'
import type { Wallet } from '../wallet/wallet.ts'

/** A payment signed for one job. */
export interface SignedQuote {
  /** UUID v4, generated for this payment. */
  readonly jobId: string
  /** The value of PAYMENT-SIGNATURE. */
  readonly header: string
}

/** The parts of an order that the page shows. */
export interface ShownOrder {
  readonly agentId: number
  readonly capability: string
  /** Unix seconds after which the payment is no longer valid. */
  readonly usableUntil: number
}

/**
 * Signs a payment for one job, for the amount and the recipient of the quote.
 *
 * Throws an `Error` with a sentence when the quote differs from the order that the page shows.
 */
export async function signQuote(
  wallet: Wallet,
  quote: QuoteAnswer,
  { agentId, capability, usableUntil }: ShownOrder,
): Promise<SignedQuote> {
  const agreed = agreeOnQuote(quote, { agentId, capability })
  if ('subject' in agreed && (agreed.field === 'token' || agreed.field === 'network'))
    throw new Error('This agent requested a token other than USDC, so you won’t be asked to sign.')
  if ('subject' in agreed)
    throw new Error('The agent’s request does not match this page, so you won’t be asked to sign it.')
  const nowSeconds = Math.floor(Date.now() / 1_000)
  const times = { nowSeconds, validBefore: usableUntil }
  return await signForJob(keccak, wallet, { ...agreed, capability }, times)
}
