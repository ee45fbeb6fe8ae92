import type { Flow, JobStep, Step } from '@farebox/flows/document/flow'
import type { Graph } from '@farebox/flows/graph/graph'
import type { RunQuote } from '@farebox/platform-api/flows/run-quote'
import { fromAtomic, toAtomic } from '../../format/amount.ts'
import type { Signable } from '../runs/sign-payments.ts'

/** The payments of a run, as listed on the sheet for signing. */
export interface SigningPlan {
  /** Payments signed at the start, in the order in which the steps can run. */
  readonly now: readonly PlannedLine[]
  /** Payments signed when the run requests them. */
  readonly later: readonly LaterLine[]
  /** Why the run cannot be started: the agents that returned no price. */
  readonly problems: readonly { readonly name: string; readonly sentence: string }[]
  /** The prices that differ from those of the flow. */
  readonly changes: readonly PriceChange[]
  /** The sum of the payments signed now, in decimal USDC. */
  readonly atStart: string
  /** The sum of all payments in decimal USDC; lists count at their declared maximum. */
  readonly atMost: string
  /** When the agents were asked for their prices, in Unix seconds. */
  readonly quotedAt: number
}

/** A job with its quote. */
export interface PlannedLine extends Signable {
  readonly name: string
}

/** A job that is paid for later. */
export interface LaterLine {
  readonly key: string
  readonly name: string
  readonly capability: string
  /** The price of one job in decimal USDC; undefined when its agent returned none. */
  readonly price: string | undefined
  /** The most jobs that it may become. */
  readonly most: number
  readonly why: string
}

/** A price that differs from the price pinned in the flow. */
export interface PriceChange {
  readonly key: string
  readonly name: string
  /** Decimal USDC. */
  readonly from: string
  /** Decimal USDC. */
  readonly to: string
}

/**
 * Compares the prices that the agents request with the prices of the flow.
 *
 * @param quotedAt when the prices were requested, in Unix seconds
 */
export function planSigning(graph: Graph, { jobs }: RunQuote, quotedAt: number): SigningPlan {
  const now: PlannedLine[] = []
  const later: LaterLine[] = []
  const problems: { name: string; sentence: string }[] = []
  const changes: PriceChange[] = []
  let [start, most] = [0n, 0n]
  /** Lists that were already counted: each item has a quote, and the first item gives the price of all. */
  const lists = new Set<string>()
  for (const { key, step: id, sign, quote, error, valid_for_seconds: validForSeconds } of jobs) {
    const step = stepOf(graph.flow, id)
    if (step === undefined || lists.has(id)) continue
    if (step.map !== undefined) lists.add(id)
    const { capability, pinned } = step
    const name = step.label ?? pinned.agent_name
    const price = quote === null ? undefined : toAtomic(quote.amount)
    const count = step.map?.most ?? 1
    most += (price ?? toAtomic(pinned.price) ?? 0n) * BigInt(count)
    if (quote !== null && price !== toAtomic(pinned.price))
      changes.push({ key, name, from: pinned.price, to: quote.amount })
    if (sign === 'later')
      later.push({ key, name, capability, price: quote?.amount, most: count, why: whyLater(graph, id, step) })
    else if (quote === null || price === undefined)
      problems.push({ name, sentence: error ?? 'The agent did not give a price.' })
    else {
      start += price
      const usableUntil = Math.floor(quotedAt) + Math.ceil(validForSeconds)
      now.push({ key, name, agentId: step.agent_id, capability, quote, usableUntil })
    }
  }
  return {
    now,
    later,
    problems,
    changes,
    atStart: fromAtomic(start),
    atMost: fromAtomic(most),
    quotedAt,
  }
}

/** Whether both plans pay the same amounts to the same recipients for the same jobs. */
export function isSamePlan(one: SigningPlan, other: SigningPlan): boolean {
  const write = ({ now, atMost }: SigningPlan): string =>
    JSON.stringify([now.map(({ key, quote }) => [key, quote.amount, quote.pay_to, quote.endpoint]), atMost])
  return write(one) === write(other)
}

function stepOf({ steps }: Flow, id: string): JobStep | undefined {
  const step: Step | undefined = Object.hasOwn(steps, id) ? steps[id] : undefined
  return step?.kind === 'job' ? step : undefined
}

function whyLater(graph: Graph, id: string, { map }: JobStep): string {
  if (map !== undefined) return `one for each item in “${map.port}”, signed when the list is ready`
  const kinds = new Set(kindsBehind(graph, id))
  if (kinds.has('approval')) return 'signed after approval'
  if (kinds.has('wait')) return 'signed when the wait is over'
  return 'signed when the run reaches this step'
}

/** The kinds of the steps between the start and a step. */
function kindsBehind(graph: Graph, id: string): readonly Step['kind'][] {
  const seen = new Set<string>()
  const open = [...graph.sourcesOf(id)]
  for (const one of open) {
    if (seen.has(one)) continue
    seen.add(one)
    open.push(...graph.sourcesOf(one))
  }
  return [...seen].flatMap(one => graph.flow.steps[one]?.kind ?? [])
}
