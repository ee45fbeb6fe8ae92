import { MAX_AUTHORIZATION_SECONDS } from '@farebox/protocol/limits'
import type { Step } from '../document/flow.ts'
import { jobKeysOf } from '../document/job-key.ts'
import type { Graph } from '../graph/graph.ts'
import { endsOfSteps } from './duration.ts'

/** The payments to be signed for one paid step. */
export interface PlannedPayment {
  readonly step: string
  /** One key, or one for each possible item of a list. */
  readonly keys: readonly string[]
  /**
   * `later`: the step comes after a person, or after a time that is unknown or more than a day away, or is one of a list: to
   * be signed when the run asks for it.
   */
  readonly sign: 'now' | 'later'
  /** How long an authorization must be valid from the start: until the latest end of the step, and for a retry. */
  readonly validForSeconds: number
}

/** How long an authorization stays valid after the end of its step: a person needs time to notice a failure and retry. */
const RETRY_SECONDS = 900

/**
 * The payments of a flow, in the order in which its steps can run. Every agent is assumed to take all of its time; the time
 * of people and of unknown waits is not in `validForSeconds`.
 *
 * @example
 * ```ts
 * import { paymentPlan } from '@farebox/flows/check/payment-plan'
 * import type { Flow } from '@farebox/flows/document/flow'
 * import { buildGraph } from '@farebox/flows/graph/graph'
 *
 * export function signaturesAtTheStart(flow: Flow): number {
 *   return paymentPlan(buildGraph(flow)).filter(({ sign }) => sign === 'now').length
 * }
 * ```
 */
export function paymentPlan(graph: Graph): readonly PlannedPayment[] {
  const ends = endsOfSteps(graph)
  const behind = findUntimed(graph)
  return graph.order.flatMap((id): PlannedPayment[] => {
    const step = graph.flow.steps[id]
    if (step?.kind !== 'job') return []
    const seconds = Math.ceil(ends.get(id)?.seconds ?? 0)
    const isLater = behind.has(id) || step.map !== undefined || seconds > MAX_AUTHORIZATION_SECONDS
    return [
      {
        step: id,
        keys: jobKeysOf(id, step),
        sign: isLater ? 'later' : 'now',
        validForSeconds: Math.min(seconds + RETRY_SECONDS, MAX_AUTHORIZATION_SECONDS),
      },
    ]
  })
}

/** Ids of the steps whose start time is only known during the run. */
function findUntimed(graph: Graph): ReadonlySet<string> {
  const untimed = new Set<string>()
  for (const id of graph.order) {
    const isBehind = graph
      .sourcesOf(id)
      .some(source => untimed.has(source) || hasNoTime(graph.flow.steps[source]))
    if (isBehind) untimed.add(id)
  }
  return untimed
}

function hasNoTime(step: Step | undefined): boolean {
  return step?.kind === 'approval' || (step?.kind === 'wait' && step.seconds === undefined)
}
