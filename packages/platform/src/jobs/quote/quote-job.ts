import { UnusableAnswer } from '@farebox/client/exchange/agent-errors'
import { QuoteRefused } from '@farebox/client/attempt/quote-refused'
import { readQuote, type Quote } from '@farebox/client/attempt/read-quote'
import type { QuoteAnswer } from '@farebox/platform-api/jobs'
import { formatUsdc } from '@farebox/protocol/money/usdc'
import { SERVICE_VERSION } from '@farebox/protocol/version'
import type { Database } from '@farebox/server/internal/postgres/connect'
import { describeError } from '@farebox/server/log'
import { checkSoon } from '../../agents/check-soon.ts'
import { priceRises } from '../../agents/price-rises.ts'
import { readPriceLists } from '../../agents/read-price-lists.ts'
import { Refusal } from '../../http/refusal.ts'
import { PROBE_LIMITS } from '../../outbound/limits.ts'
import type { PlatformParts } from '../../platform-parts.ts'
import { readPayable, type PayableCapability } from './payable-agent.ts'
import { readAnswer } from './read-answer.ts'

/**
 * The current price of a job: asks the agent for its price without paying, and compares its answer with the registered
 * wallet, the stored price, and our own table of networks and tokens (PAY-38).
 *
 * @throws {Refusal} `conflict` when they differ, with both values; `agent` when the agent gave no usable answer
 */
export async function quoteJob(
  parts: PlatformParts,
  order: { readonly agentId: number; readonly capability: string; readonly signal?: AbortSignal },
): Promise<QuoteAnswer> {
  const payable = await readPayable(parts, order.agentId, order.capability)
  const quote = await askPrice(parts, payable, order.signal)
  const { agentId, name, capability, declaration, wallet, priceAtomic } = payable
  return {
    agent_id: agentId,
    capability: name,
    amount: formatUsdc(priceAtomic),
    amount_atomic: priceAtomic.toString(),
    pay_to: wallet,
    network: quote.network.id,
    asset: quote.network.asset.address,
    asset_domain: { ...quote.network.asset.domain },
    payment_requirement: { ...quote.requirement, extra: { ...quote.requirement.extra } },
    max_timeout_seconds: quote.requirement.maxTimeoutSeconds,
    max_deadline_seconds: declaration.max_deadline_seconds,
    price_changed: await readPriceRise(parts.database, payable, parts.clock.nowMs()),
    input_schema: { ...capability.input_schema },
    endpoint: `${payable.endpoint}/execute`,
  }
}

/**
 * Asks the agent for its price and compares the answer with its registration.
 *
 * @throws {Refusal} as {@link quoteJob}
 */
export async function askPrice(
  { outbound, network, log, database }: PlatformParts,
  { agentId, endpoint, calledFor, name, declaration }: PayableCapability,
  signal?: AbortSignal,
): Promise<Quote> {
  const outcome = await outbound.send({
    url: `${endpoint}/execute`,
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    // Without a job_id the request can be priced, as any body can (D14), but it is never run, not even in dev mode.
    body: JSON.stringify({ service_version: SERVICE_VERSION, task: { capability: name } }),
    calledFor,
    ...PROBE_LIMITS,
    ...(signal && { signal }),
  })
  if (outcome.kind === 'failed') {
    log.info('the agent named no price', { agent: agentId, reason: outcome.reason, detail: outcome.detail })
    if (signal?.aborted !== true) await checkSoon(database, agentId).catch(noteUnchecked(log, agentId))
    throw new Refusal('agent', `the agent did not answer: ${outcome.reason}`)
  }
  const answer = readAnswer(outcome)
  if (answer.status !== 402)
    throw new Refusal(
      'agent',
      `the agent answered HTTP ${answer.status} where it should have named its price`,
    )
  try {
    return readQuote(answer, { declaration, capability: name, networks: [network.id] })
  } catch (error) {
    throw explain(error)
  }
}

function noteUnchecked(log: PlatformParts['log'], agent: number): (error: unknown) => void {
  return error => log.warn('could not schedule a check of an agent', { agent, error: describeError(error) })
}

function explain(error: unknown): unknown {
  if (error instanceof UnusableAnswer) return new Refusal('agent', error.message, { cause: error })
  if (!(error instanceof QuoteRefused)) return error
  const { disagreement, expected, got } = error
  const sentence = `the agent does not ask what is registered of it: ${disagreement} must be ${expected}, it asks ${got}`
  return new Refusal('conflict', sentence, { cause: error })
}

/** How long a price rise is shown. */
const RISE_TOLD_MS = 7 * 86_400_000

async function readPriceRise(
  database: Database,
  { agentId, name }: PayableCapability,
  nowMs: number,
): Promise<QuoteAnswer['price_changed']> {
  const fromMs = nowMs - RISE_TOLD_MS
  const rises = priceRises(await readPriceLists(database, agentId, fromMs), fromMs)
  const rise = rises.find(({ capability }) => capability === name)
  return rise === undefined ? null : { from: rise.from, to: rise.to, since: Math.floor(rise.sinceMs / 1_000) }
}
