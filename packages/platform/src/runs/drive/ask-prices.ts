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

/** So long a change of a run waits for the prices that it has asked for, to be written down with them. */
export const PRICES_WITHIN_MS = 50

/** Prices that were asked for. */
export interface AskedPrices {
  /** Answers that came soon; a later one changes the run by itself. */
  readonly events: readonly GivenEvent[]
  /** Whether all could be begun, and none of it has failed so far. */
  hasRoom(): boolean
}

/** Begins to ask for prices, of those that are not asked for yet, and waits a moment for the answers. */
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
      // Until then the run does not know that a price is asked for.
      else if ((await written) !== undefined) await changeStoredRun(parts, run.runId, { events: [event] })
    })
    // Nothing else makes the run due: it is asked for again as where there was no room.
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

/** Undefined where this process ends: the next driver of the run asks again. */
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

/** The price that an agent asks for now, or why it is not known. */
type AskedPrice = { readonly price: string; readonly pay_to: string } | { readonly reason: string }

/**
 * Asks an agent, unpaid, what a job costs, before a payment leaves (D44). Where it asks for something else than is
 * registered of it, its declaration is read again, so that a payment for the new price can be taken.
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
