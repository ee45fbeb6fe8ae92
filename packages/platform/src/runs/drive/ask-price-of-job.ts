import { QuoteRefused } from '@farebox/client/attempt/quote-refused'
import { formatUsdc } from '@farebox/protocol/money/usdc'
import { refreshSoon } from '../../agents/inspect-soon.ts'
import type { QuotedJob } from '../../checking/run-messages.ts'
import { Refusal } from '../../http/refusal.ts'
import { readRecentPayable, type PayableCapability } from '../../jobs/quote/payable-agent.ts'
import { askPrice } from '../../jobs/quote/quote-job.ts'
import type { PlatformParts } from '../../platform-parts.ts'

/** What an agent asks for now, or why that is not known. */
export type AskedPrice = { readonly price: string; readonly pay_to: string } | { readonly reason: string }

/**
 * Asks an agent, unpaid, what a job costs, before a payment leaves (D44). Where it asks for something else than is
 * registered of it, its declaration is read anew, so that a payment for the new price can be taken.
 */
export async function askPriceOfJob(
  parts: PlatformParts,
  { agentId, capability }: Pick<QuotedJob, 'agentId' | 'capability'>,
  signal: AbortSignal,
): Promise<AskedPrice> {
  let payable: PayableCapability | undefined
  try {
    payable = await readRecentPayable(parts, agentId, capability)
    await askPrice(parts, payable, signal)
    return priceOf(payable)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const { cause } = error
    if (!(cause instanceof QuoteRefused)) return { reason: error.message }
    await refreshSoon(parts.database, [agentId])
    return priceAsked(cause, payable) ?? { reason: error.message }
  }
}

/** The amount that an agent asks for in place of the registered one. */
function priceAsked(
  { disagreement, got }: QuoteRefused,
  payable: PayableCapability | undefined,
): AskedPrice | undefined {
  const digits = /^"?([1-9]\d{0,17})"?$/.exec(got)?.[1]
  if (disagreement !== 'price' || digits === undefined || payable === undefined) return undefined
  return { price: formatUsdc(BigInt(digits)), pay_to: payable.wallet }
}

function priceOf({ priceAtomic, wallet }: PayableCapability): AskedPrice {
  return { price: formatUsdc(priceAtomic), pay_to: wallet }
}
