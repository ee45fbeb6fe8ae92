import { signPayment } from '@farebox/payments/x402/sign-payment'
import { findNetwork } from '@farebox/payments/networks'
import type { QuoteAnswer } from '@farebox/platform-api/jobs'
import type { JsonObject } from '@farebox/protocol/fields/field'
import { keccak } from '../wallet/keccak.ts'
import type { Wallet } from '../wallet/wallet.ts'
import type { Order } from '../kept/order.ts'

/** So long before a payment ends it cannot be settled any more. */
const SETTLE_MARGIN_SECONDS = 6

/** What is ordered. */
export interface Wanted {
  readonly agentId: number
  readonly agentName: string
  readonly capability: string
  readonly input: JsonObject
}

/**
 * Signs for one job: bound to it by its nonce (D13), for the amount and the address of the quote.
 *
 * Throws an `Error` with a sentence where the quote is not one that these pages can show in full.
 */
export async function signOrder(wallet: Wallet, wanted: Wanted, quote: QuoteAnswer): Promise<Order> {
  const network = findNetwork(quote.network)
  const requirement = quote.payment_requirement
  if (network === undefined || network.asset.address !== quote.asset.toLowerCase())
    throw new Error('This agent asks for another token than USDC. You are not asked to sign for it.')
  const isAsShown =
    requirement.amount === quote.amount_atomic && requirement.payTo.toLowerCase() === quote.pay_to
  if (!isAsShown)
    throw new Error('What the agent asks for is not what is shown here. You are not asked to sign for it.')
  const jobId = crypto.randomUUID()
  const signedAt = Math.floor(Date.now() / 1_000)
  const usableUntil = signedAt + Math.ceil(quote.max_timeout_seconds)
  const { header } = await signPayment(keccak, wallet, {
    network,
    requirement,
    binding: { endpoint: quote.endpoint, capability: wanted.capability, jobId },
    nowSeconds: signedAt,
    validBefore: usableUntil,
  })
  const now = Date.now() / 1_000
  const deadline = Math.min(now + quote.max_deadline_seconds, usableUntil - SETTLE_MARGIN_SECONDS)
  if (deadline <= now) throw new Error('The signature came too late to be used. Nothing was sent: sign anew.')
  return {
    job_id: jobId,
    agent_id: wanted.agentId,
    agent_name: wanted.agentName,
    capability: wanted.capability,
    input: wanted.input,
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
