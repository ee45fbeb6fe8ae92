import type { Declaration } from '@farebox/protocol/declaration/declaration'
import { MAX_AUTHORIZATION_SECONDS } from '@farebox/protocol/limits'
import { formatUsdc, readPrice } from '@farebox/protocol/money/usdc'
import { isAddress, sameAddress } from '@farebox/payments/crypto/address'
import { findNetwork, networkIds, type Network } from '@farebox/payments/networks'
import { decodeHeader } from '@farebox/payments/x402/payment-header'
import { maxTimeoutSeconds, type PaymentRequirement } from '@farebox/payments/x402/requirement'
import { UnusableAnswer } from '../exchange/agent-errors.ts'
import type { WholeAnswer } from '../exchange/exchange.ts'
import { isObject } from '@farebox/protocol/internal/guards/json'
import { DISAGREEMENTS, QuoteRefused } from './quote-refused.ts'

/**
 * The price of a job and how it is paid; every value was compared with `/about` and with the built-in table of tokens.
 *
 * @example
 * ```ts
 * import type { Quote } from '@farebox/client/attempt/read-quote'
 * import { formatUsdc } from '@farebox/protocol/money/usdc'
 *
 * export function describeQuote({ capability, amountAtomic, payTo, network }: Quote): string {
 *   return `${capability}: ${formatUsdc(amountAtomic)} USDC to ${payTo} on ${network.name}`
 * }
 * ```
 */
export interface Quote {
  readonly capability: string
  readonly amountAtomic: bigint
  /** The agent's wallet. */
  readonly payTo: string
  readonly network: Network
  /** The requirement to sign. Its token domain comes from the built-in table, whatever the agent sent (D4). */
  readonly requirement: PaymentRequirement
}

/** The conditions that an offer must meet. */
export interface QuoteTerms {
  readonly declaration: Declaration
  readonly capability: string
  /** CAIP-2 ids of the networks that may be paid on; default: all known networks. */
  readonly networks?: readonly string[] | undefined
  /** In atomic units; absent: the price in `/about` is the only limit. */
  readonly maxPriceAtomic?: bigint
}

/** An entry of `accepts` in the header (v2) or the body (v1); only the names of two keys differ. */
interface Offer {
  readonly scheme: unknown
  readonly network: unknown
  readonly asset: unknown
  readonly amount: unknown
  readonly payTo: unknown
  readonly maxTimeoutSeconds: unknown
}

/** The most offers that are read: no honest agent has more. */
const MAX_OFFERS = 20

/**
 * Reads the 402 response of an agent: the `PAYMENT-REQUIRED` header, or else the body; if both are present, they must agree
 * (D2, D3). The quote is the first offer that agrees with `/about`, with the built-in table and with the caller's limit.
 *
 * @throws {UnusableAnswer} when neither contains payment terms
 * @throws {QuoteRefused} with the disagreement of the offer that met most conditions
 */
export function readQuote(answer: WholeAnswer, terms: QuoteTerms): Quote {
  const inBody = offersOf(answer.json, 1)
  let refused: QuoteRefused | undefined
  for (const offer of readRequiredHeader(answer) ?? inBody ?? []) {
    const judged = judge(offer, inBody ?? [], terms)
    if (!(judged instanceof QuoteRefused)) return judged
    refused = refused === undefined ? judged : nearer(refused, judged)
  }
  throw refused ?? new UnusableAnswer(402, "the agent's 402 does not say how to pay: it has no accepts")
}

function readRequiredHeader(answer: WholeAnswer): readonly Offer[] | undefined {
  const header = answer.headers.get('payment-required')
  if (header === null) return undefined
  const offers = offersOf(decodeHeader(header), 2)
  if (offers !== undefined) return offers
  throw new UnusableAnswer(402, "the agent's PAYMENT-REQUIRED header is not an x402 v2 object")
}

function offersOf(required: unknown, version: 1 | 2): readonly Offer[] | undefined {
  if (!isObject(required) || required['x402Version'] !== version) return undefined
  const { accepts } = required
  if (!Array.isArray(accepts)) return undefined
  return accepts.slice(0, MAX_OFFERS).map((entry: unknown) => {
    const { scheme, network, asset, payTo, maxTimeoutSeconds, ...amounts } = isObject(entry) ? entry : {}
    const amount = version === 2 ? amounts['amount'] : amounts['maxAmountRequired']
    return { scheme, network, asset, amount, payTo, maxTimeoutSeconds }
  })
}

function judge(offer: Offer, inBody: readonly Offer[], terms: QuoteTerms): Quote | QuoteRefused {
  const { declaration, capability, maxPriceAtomic } = terms
  const price = readPrice(declaration.capabilities[capability]?.pricing.amount)
  if (!price.ok) throw new RangeError(`${capability}: the declaration has no price for it`)
  const network = typeof offer.network === 'string' ? findNetwork(offer.network) : undefined
  const allowed = terms.networks ?? networkIds()
  if (offer.scheme !== 'exact') return new QuoteRefused('scheme', '"exact"', offer.scheme)
  if (network === undefined || !allowed.includes(network.id)) {
    return new QuoteRefused('network', `one of ${allowed.join(', ')}`, offer.network)
  }
  if (!isAddress(offer.asset) || !sameAddress(offer.asset, network.asset.address)) {
    return new QuoteRefused('asset', `USDC on ${network.name}, ${network.asset.address}`, offer.asset)
  }
  if (offer.amount !== price.atomic.toString()) {
    return new QuoteRefused('price', `"${price.atomic}" atomic units, as /about says`, offer.amount)
  }
  if (!isAddress(offer.payTo) || !sameAddress(offer.payTo, declaration.wallet)) {
    return new QuoteRefused('pay-to', `the wallet of /about, ${declaration.wallet}`, offer.payTo)
  }
  const disagreement = disagreesWithBody(offer, inBody)
  if (disagreement !== undefined) return disagreement
  if (maxPriceAtomic !== undefined && price.atomic > maxPriceAtomic) {
    const [most, asked] = [formatUsdc(maxPriceAtomic), formatUsdc(price.atomic)]
    return new QuoteRefused('max-price', `at most ${most} USDC`, `${asked} USDC`)
  }
  const requirement: PaymentRequirement = {
    scheme: 'exact',
    network: network.id,
    // Spelled as the agent did: a stock server compares the echoed values with its own.
    asset: offer.asset,
    amount: offer.amount,
    payTo: offer.payTo,
    maxTimeoutSeconds: timeoutOf(offer, declaration),
    extra: network.asset.domain,
  }
  return { capability, amountAtomic: price.atomic, payTo: offer.payTo, network, requirement }
}

/** The body has the same network with other terms: header and body contradict each other. */
function disagreesWithBody(offer: Offer, inBody: readonly Offer[]): QuoteRefused | undefined {
  const twin = inBody.find(one => one.network === offer.network)
  if (twin === undefined) return undefined
  for (const key of ['amount', 'payTo', 'asset'] as const) {
    const [here, there] = [String(offer[key]), String(twin[key])]
    if (here !== there && here.toLowerCase() !== there.toLowerCase()) {
      return new QuoteRefused('body', `what the PAYMENT-REQUIRED header says of ${key}, ${here}`, twin[key])
    }
  }
  return undefined
}

/** Only echoed: this package computes itself how long a payment is valid. */
function timeoutOf({ maxTimeoutSeconds: asked }: Offer, declaration: Declaration): number {
  const usual = maxTimeoutSeconds(declaration.max_deadline_seconds)
  if (typeof asked !== 'number' || !Number.isSafeInteger(asked)) return usual
  return asked > 0 && asked <= MAX_AUTHORIZATION_SECONDS ? asked : usual
}

/** The refusal of the offer that passed more checks: the caller is more likely to be able to act on it. */
function nearer(one: QuoteRefused, other: QuoteRefused): QuoteRefused {
  return DISAGREEMENTS.indexOf(other.disagreement) > DISAGREEMENTS.indexOf(one.disagreement) ? other : one
}
