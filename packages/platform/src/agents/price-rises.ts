import { formatUsdc, readUsdc } from '@farebox/protocol/money/usdc'

/** The prices of one declaration, and when it was first read. */
export interface PriceList {
  readonly readAtMs: number
  /** The notices for owners of agents that still have their stake; the most serious first. Pure. */
  readonly prices: { readonly [capability: string]: string }
}

/** A capability whose price has risen. */
export interface PriceRise {
  readonly capability: string
  /** Decimal USDC: the lowest price in the period, and the current price. */
  readonly from: string
  readonly to: string
  readonly sinceMs: number
}

/**
 * The capabilities that cost more now than at any moment since `fromMs`.
 *
 * @param lists the oldest first; the last one is in force
 */
export function priceRises(lists: readonly PriceList[], fromMs: number): readonly PriceRise[] {
  const now = lists.at(-1)
  if (now === undefined) return []
  const inTime = lists.filter((_, index) => (lists[index + 1]?.readAtMs ?? Number.POSITIVE_INFINITY) > fromMs)
  return Object.keys(now.prices).flatMap(capability => {
    const rise = riseOf(capability, inTime)
    return rise === undefined ? [] : [rise]
  })
}

function riseOf(capability: string, lists: readonly PriceList[]): PriceRise | undefined {
  const known = lists.flatMap(({ prices, readAtMs }) => {
    const price = readUsdc(Object.hasOwn(prices, capability) ? prices[capability] : undefined)
    return price.ok ? [{ atomic: price.atomic, readAtMs }] : []
  })
  const to = known.at(-1)?.atomic ?? 0n
  const from = known.reduce((least, { atomic }) => (atomic < least ? atomic : least), to)
  if (from === to) return undefined
  // The price may have risen in several steps; the last step is when it reached the current price.
  const last = known.findLastIndex(({ atomic }) => atomic < to)
  return { capability, from: formatUsdc(from), to: formatUsdc(to), sinceMs: known[last + 1]?.readAtMs ?? 0 }
}
