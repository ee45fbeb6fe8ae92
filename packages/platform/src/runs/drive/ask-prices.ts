import { QuoteRefused } from '@farebox/client/attempt/quote-refused'
import { formatUsdc } from '@farebox/protocol/money/usdc'
import { sleep } from '@farebox/protocol/time/clock'
import { refreshSoon } from '../../agents/inspect-soon.ts'
import type { GivenEvent, QuotedJob } from '../../checking/run-messages.ts'
import { Refusal } from '../../http/refusal.ts'
import { readRecentPayable, type PayableCapability } from '../../jobs/quote/payable-agent.ts'
import { askPrice } from '../../jobs/quote/quote-job.ts'
import type { PlatformParts } from '../../platform-parts.ts'
import { changeStoredRun } from '../records/change-run.ts'
import { attempt, type Drive } from './drive-step.ts'

/** How long the change of a run waits for the requested prices, so that they are written together with it. */
export const PRICES_WITHIN_MS = 50

/** Prices that were requested. */
export interface AskedPrices {
  /** The responses that arrived in time; a later one changes the run separately. */
  readonly events: readonly GivenEvent[]
  /** Whether all requests could be started, and none has failed so far. */
  hasRoom(): boolean
}

/** Requests the prices that are not being requested yet, and waits briefly for the responses. */
export async function askPrices(drive: Drive, quotes: readonly QuotedJob[]): Promise<AskedPrices> {
  const { parts, means, run, written } = drive
  const events: GivenEvent[] = []
  const asked: Promise<void>[] = []
  let isOpen = true
  let hasRoom = true
  const ask = async (quote: QuotedJob): Promise<void> => {
    const isDone = await attempt(drive, async () => {
      const event = await askForEvent(drive, quote)
      if (event === undefined) return
      if (isOpen) events.push(event)
      // Until the run is written, its stored state does not contain the price request.
      else if ((await written) !== undefined) await changeStoredRun(parts, run.runId, { events: [event] })
    })
    // No other event makes the run due, so the price is requested again as if the limits had not allowed it.
    if (!isDone) hasRoom = false
  }
  for (const quote of quotes) {
    const begin = (): Promise<void> => {
      const answered = ask(quote)
      asked.push(answered)
      return answered
    }
    const of = { ...run, agentId: quote.agentId }
    if (!means.activities.begin(of, `price ${quote.key}`, begin)) hasRoom = false
  }
  if (asked.length > 0) {
    const over = new AbortController()
    await Promise.race([Promise.all(asked), sleep(parts.clock, PRICES_WITHIN_MS, over.signal)])
    over.abort('over')
  }
  isOpen = false
  return { events, hasRoom: () => hasRoom }
}

/** Undefined when this process is stopping; the next driver of the run asks again. */
async function askForEvent(
  { parts, means: { signal } }: Drive,
  { key, agentId, capability }: QuotedJob,
): Promise<GivenEvent | undefined> {
  const asked = await askPriceOfJob(parts, { agentId, capability }, signal)
  if (signal.aborted) return undefined
  return 'reason' in asked
    ? { event: 'quoted', key, quote: undefined, reason: asked.reason }
    : { event: 'quoted', key, quote: asked }
}

/** The price that an agent currently asks for, or why it is not known. */
type AskedPrice = { readonly price: string; readonly pay_to: string } | { readonly reason: string }

/**
 * Asks an agent, without paying, for the price of a job, before a payment is sent (D44). When the agent asks for other
 * terms than its stored ones, its declaration is read again, so that a payment for the new price can be accepted.
 */
async function askPriceOfJob(
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

/**
 * The price that an agent asks for instead of the stored one; undefined when the disagreement is not about the price,
 * or the amount is not known.
 */
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
