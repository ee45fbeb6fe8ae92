import type { Flow, JobStep } from '@farebox/flows/document/flow'
import { findJobStep } from '@farebox/flows/internal/document/find-job-step'
import { readJobKey } from '@farebox/flows/run/run-state'
import type { RunQuote } from '@farebox/platform-api/flows/run-quote'
import type { QuoteAnswer } from '@farebox/platform-api/jobs'
import { MAX_AUTHORIZATION_SECONDS } from '@farebox/protocol/limits'
import { formatUsdc, readPrice } from '@farebox/protocol/money/usdc'
import { foreignText, foreignValue } from '../exchange/foreign-text.ts'
import { agreeOnQuote, type AgreedQuote } from '../pay/agree-on-quote.ts'
import { RunRefused } from './run-errors.ts'

/** A job of a run with its price; every value was compared with the flow and the built-in table of tokens. */
export interface PricedJob extends AgreedQuote {
  readonly key: string
  readonly step: JobStep
  /** later: sign it when the run asks for it. */
  readonly sign: 'now' | 'later'
  /** How long its payment must be valid, in seconds from now. */
  readonly validSeconds: number
}

/**
 * The jobs of a quote, in its order.
 *
 * @param networks CAIP-2 ids of the networks that may be paid on
 * @throws {RunRefused} when a job is not in the flow, has no price, or asks for another kind of payment
 */
export function priceJobs(
  flow: Flow,
  { jobs }: RunQuote,
  networks?: readonly string[],
): readonly PricedJob[] {
  return jobs.map(({ key, sign, quote, error, valid_for_seconds: validFor }) => {
    const step = findJobStep(flow, key)
    if (step === undefined)
      throw new RunRefused('offer', undefined, `the flow has no job ${foreignText(key)}`)
    if (quote === null)
      throw new RunRefused('no-price', key, foreignText(error ?? 'its agent names no price'))
    const agreed = agreeOn(key, step, quote, networks)
    const validSeconds = Math.min(Math.ceil(validFor), MAX_AUTHORIZATION_SECONDS)
    return { key, step, sign, ...agreed, validSeconds }
  })
}

function agreeOn(
  key: string,
  step: JobStep,
  quote: QuoteAnswer,
  networks: readonly string[] | undefined,
): AgreedQuote {
  const agreed = agreeOnQuote(quote, { agentId: step.agent_id, capability: step.capability }, networks)
  if (!('subject' in agreed)) return agreed
  const { subject, expected, got } = agreed
  const reason = `${subject} must be ${foreignText(expected)}, got ${foreignValue(got)}`
  throw new RunRefused('offer', key, reason)
}

/**
 * Refuses prices above those pinned in the flow: the pinned prices are what a person agreed to.
 *
 * @throws {RunRefused} naming the first such job
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
 * Refuses a quote without a paid step of the flow: its price is unknown, so it was not agreed to.
 *
 * @throws {RunRefused} naming the first missing step
 */
export function refuseMissing(flow: Flow, jobs: readonly PricedJob[]): void {
  const quoted = new Set(jobs.map(({ key }) => readJobKey(key)?.step))
  for (const [id, { kind }] of Object.entries(flow.steps))
    if (kind === 'job' && !quoted.has(id))
      throw new RunRefused('no-price', id, 'the platform quotes no price')
}
