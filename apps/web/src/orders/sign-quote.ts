import { signPayment } from '@farebox/payments/x402/sign-payment'
import { findNetwork } from '@farebox/payments/networks'
import type { QuoteAnswer } from '@farebox/platform-api/jobs'
import { toAtomic } from '../format/amount.ts'
import { keccak } from '../wallet/keccak.ts'
import type { Wallet } from '../wallet/wallet.ts'

/** A payment that was signed for one job. */
export interface SignedQuote {
  /** UUID v4; made for this payment. */
  readonly jobId: string
  /** The value of PAYMENT-SIGNATURE. */
  readonly header: string
}

/**
 * Signs a payment for one job: bound to it by its nonce (D13), for the amount and the address of the quote.
 *
 * Throws an `Error` with a sentence where the quote is not one that these pages can show in full.
 *
 * @param wanted.capability as it is shown
 * @param wanted.usableUntil unix seconds: the payment is not good after that
 */
export async function signQuote(
  wallet: Wallet,
  quote: QuoteAnswer,
  wanted: { readonly capability: string; readonly usableUntil: number },
): Promise<SignedQuote> {
  const network = findNetwork(quote.network)
  const requirement = quote.payment_requirement
  if (network === undefined || network.asset.address !== quote.asset.toLowerCase())
    throw new Error('This agent requested a token other than USDC, so you won’t be asked to sign.')
  const isAsShown =
    requirement.amount === quote.amount_atomic &&
    requirement.payTo.toLowerCase() === quote.pay_to &&
    toAtomic(quote.amount)?.toString() === quote.amount_atomic
  if (!isAsShown)
    throw new Error('The agent’s request does not match this page, so you won’t be asked to sign it.')
  const jobId = crypto.randomUUID()
  const { header } = await signPayment(keccak, wallet, {
    network,
    requirement,
    binding: { endpoint: quote.endpoint, capability: wanted.capability, jobId },
    nowSeconds: Math.floor(Date.now() / 1_000),
    validBefore: wanted.usableUntil,
  })
  return { jobId, header }
}
