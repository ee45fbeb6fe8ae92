import type { Flow, JobStep } from '@farebox/flows/document/flow'
import { findJobStep } from '@farebox/flows/internal/document/find-job-step'
import { readJobKey } from '@farebox/flows/run/run-state'
import { findNetwork, networkIds, type Network } from '@farebox/payments/networks'
import type { PaymentRequirement } from '@farebox/payments/x402/requirement'
import type { RunQuote } from '@farebox/platform-api/flows/run-quote'
import type { QuoteAnswer } from '@farebox/platform-api/jobs'
import { MAX_AUTHORIZATION_SECONDS } from '@farebox/protocol/limits'
import { formatUsdc, readPrice } from '@farebox/protocol/money/usdc'
import { foreignText, foreignValue } from '../exchange/foreign-text.ts'
import { RunRefused } from './run-errors.ts'

/** A job of a run with its price: all of it was held against the flow and our own table of tokens. */
export interface PricedJob {
  readonly key: string
  readonly step: JobStep
  /** later: sign it when the run asks for it. */
  readonly sign: 'now' | 'later'
  readonly amountAtomic: bigint
  readonly network: Network
  readonly requirement: PaymentRequirement
  /** What the order is posted to. */
  readonly endpoint: string
  /** How long from now its payment is to be good. */
  readonly validSeconds: number
}

/**
 * The jobs of a quote, in its order.
 *
 * @param networks CAIP-2 ids that may be paid on
 * @throws {RunRefused} where a job is none of the flow's, has no price, or is to be paid in another way than ours
 */
export function priceJobs(flow: Flow, { jobs }: RunQuote, networks = networkIds()): readonly PricedJob[] {
  return jobs.map(({ key, sign, quote, error, valid_for_seconds: validFor }) => {
    const step = findJobStep(flow, key)
    if (step === undefined)
      throw new RunRefused('offer', undefined, `the flow has no job ${foreignText(key)}`)
    if (quote === null)
      throw new RunRefused('no-price', key, foreignText(error ?? 'its agent names no price'))
    const agreed = agreeOn(key, step, quote, networks)
    const validSeconds = Math.min(Math.ceil(validFor), MAX_AUTHORIZATION_SECONDS)
    return { key, step, sign, ...agreed, endpoint: quote.endpoint, validSeconds }
  })
}

function agreeOn(
  key: string,
  step: JobStep,
  quote: QuoteAnswer,
  networks: readonly string[],
): Pick<PricedJob, 'amountAtomic' | 'network' | 'requirement'> {
  const refuse = (what: string, expected: string, got: unknown): RunRefused =>
    new RunRefused('offer', key, `${what} must be ${foreignText(expected)}, got ${foreignValue(got)}`)
  if (quote.agent_id !== step.agent_id) throw refuse('the agent', String(step.agent_id), quote.agent_id)
  if (quote.capability !== step.capability) throw refuse('the capability', step.capability, quote.capability)
  const network = networks.includes(quote.network) ? findNetwork(quote.network) : undefined
  if (network === undefined) throw refuse('the network', `one of ${networks.join(', ')}`, quote.network)
  const { payment_requirement: asked } = quote
  const price = readPrice(quote.amount)
  if (!price.ok) throw refuse('the price', 'decimal USDC', quote.amount)
  const { asset, domain } = { asset: network.asset.address, domain: network.asset.domain }
  for (const [what, expected, got] of [
    ['the token', asset, quote.asset],
    ['the token that is signed for', asset, asked.asset.toLowerCase()],
    ['the network that is signed for', network.id, asked.network],
    ['the exact price', price.atomic.toString(), quote.amount_atomic],
    ['the price that is signed for', price.atomic.toString(), asked.amount],
    ['the payee that is signed for', quote.pay_to, asked.payTo.toLowerCase()],
  ] as const)
    if (expected !== got) throw refuse(what, expected, got)
  // The domain is ours, whatever was said (D4); the rest is echoed as the agent spells it.
  return { amountAtomic: price.atomic, network, requirement: { ...asked, extra: domain } }
}

/**
 * Refuses prices above those that the flow has pinned: they are what somebody agreed to.
 *
 * @throws {RunRefused} naming the first
 */
export function refuseDearer(jobs: readonly PricedJob[]): void {
  for (const { key, step, amountAtomic } of jobs) {
    const pinned = readPrice(step.pinned.price)
    if (pinned.ok && amountAtomic <= pinned.atomic) continue
    const asked = formatUsdc(amountAtomic)
    throw new RunRefused(
      'price',
      key,
      `its agent asks for ${asked} USDC, the flow has ${step.pinned.price}; pin the new price to agree to it`,
    )
  }
}

/**
 * Refuses a quote that leaves out a paid step of the flow: what is not known is not agreed to.
 *
 * @throws {RunRefused} naming the first
 */
export function refuseMissing(flow: Flow, jobs: readonly PricedJob[]): void {
  const quoted = new Set(jobs.map(({ key }) => readJobKey(key)?.step))
  for (const [id, { kind }] of Object.entries(flow.steps))
    if (kind === 'job' && !quoted.has(id))
      throw new RunRefused('no-price', id, 'the platform quotes no price')
}
