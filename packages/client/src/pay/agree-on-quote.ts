import { findNetwork, networkIds, type Network } from '@farebox/payments/networks'
import type { PaymentRequirement } from '@farebox/payments/x402/requirement'
import type { QuoteAnswer } from '@farebox/platform-api/jobs'
import { readPrice } from '@farebox/protocol/money/usdc'

/** A platform's quote that agrees with the order and with the built-in table of tokens. */
export interface AgreedQuote {
  readonly amountAtomic: bigint
  readonly network: Network
  /** The requirement to sign. Its token domain comes from the built-in table, whatever the platform sent (D4). */
  readonly requirement: PaymentRequirement
  /** The URL that the order is posted to; the payment is bound to it. */
  readonly endpoint: string
}

/** The first field in which a quote disagrees. */
export interface QuoteDisagreement {
  readonly field: 'agent' | 'capability' | 'network' | 'token' | 'price' | 'payee'
  /** The name of the field, as the subject of a sentence. */
  readonly subject: string
  readonly expected: string
  readonly got: unknown
}

/**
 * Compares a platform's quote with its order: agent and capability must be those of the order; token and network must be in
 * the built-in table; and the requirement to sign must be what the quote shows. Every payer of platform quotes uses this
 * check.
 *
 * @param networks - CAIP-2 ids of the networks that may be paid on
 */
export function agreeOnQuote(
  quote: QuoteAnswer,
  order: { readonly agentId: number; readonly capability: string },
  networks: readonly string[] = networkIds(),
): AgreedQuote | QuoteDisagreement {
  const { payment_requirement: asked } = quote
  const network = networks.includes(quote.network) ? findNetwork(quote.network) : undefined
  const price = readPrice(quote.amount)
  const other = firstDifference([
    ['agent', 'the agent', order.agentId, quote.agent_id],
    ['capability', 'the capability', order.capability, quote.capability],
  ])
  if (other !== undefined) return other
  if (network === undefined) {
    const expected = `one of ${networks.join(', ')}`
    return { field: 'network', subject: 'the network', expected, got: quote.network }
  }
  if (!price.ok) return { field: 'price', subject: 'the price', expected: 'decimal USDC', got: quote.amount }
  const [asset, amount] = [network.asset.address, price.atomic.toString()]
  return (
    firstDifference([
      ['token', 'the token', asset, quote.asset.toLowerCase()],
      ['token', 'the token that is signed for', asset, asked.asset.toLowerCase()],
      ['network', 'the network that is signed for', network.id, asked.network],
      ['price', 'the exact price', amount, quote.amount_atomic],
      ['price', 'the price that is signed for', amount, asked.amount],
      ['payee', 'the payee that is signed for', quote.pay_to.toLowerCase(), asked.payTo.toLowerCase()],
    ]) ?? {
      amountAtomic: price.atomic,
      network,
      // The other values are echoed as the agent spells them.
      requirement: { ...asked, extra: network.asset.domain },
      endpoint: quote.endpoint,
    }
  )
}

function firstDifference(
  pairs: readonly (readonly [QuoteDisagreement['field'], string, string | number, unknown])[],
): QuoteDisagreement | undefined {
  for (const [field, subject, expected, got] of pairs)
    if (expected !== got) return { field, subject, expected: String(expected), got }
  return undefined
}
