import { readUsdc } from '@farebox/protocol/money/usdc'
import type { FieldMap } from '@farebox/protocol/fields/field'
import type { Flow } from '../document/flow.ts'
import { buildGraph, outputSchemaOf } from '../graph/graph.ts'
import { withCurrent, NO_CATALOG, type Catalog } from './catalog.ts'
import { checkAgents } from './check-agents.ts'
import { checkInputs } from './check-inputs.ts'
import { checkSteps } from './check-steps.ts'
import { checkWires, gradeWires, type GradedWire } from './check-wires.ts'
import { timeFlow, type FlowDuration } from './duration.ts'
import { find, listFindings, type Finding, type LazyFinding } from './finding.ts'
import { startInspection } from './inspection.ts'
import { priceFlow, type FlowPrice } from './price.ts'

/** Facts about a flow before it is paid for. */
export interface FlowCheck {
  /** Can the flow be run, with no finding that is an error? */
  readonly ok: boolean
  /** Errors first, then warnings, then notes; each group in the order of the steps. */
  readonly findings: readonly Finding[]
  /** In the order of the document. */
  readonly wires: readonly GradedWire[]
  readonly price: FlowPrice
  readonly duration: FlowDuration
  /** The inputs and outputs of a run, in the field language. */
  readonly input_schema: FieldMap
  readonly output_schema: FieldMap
}

/**
 * Checks a flow before payment against the current state of its agents: wires, required inputs, constants, cycles, price,
 * duration, and changes since the flow was created. Pure; never throws for a flow that {@link readFlow} accepted, and takes
 * a second or two for the largest one: at most a thousand findings are listed, and a wire that takes too long to compare is
 * reported as possibly failing.
 *
 * @param options.catalog the current capabilities; default: those pinned in the flow
 * @param options.balance the payer's balance, in decimal USDC
 * @example
 * ```ts
 * import { checkFlow } from '@farebox/flows/check/check-flow'
 * import type { Flow } from '@farebox/flows/document/flow'
 *
 * export function explain(flow: Flow): string {
 *   const { ok, findings, price } = checkFlow(flow)
 *   return ok ? `at most ${price.at_most} USDC` : findings.map(({ message }) => message).join('\n')
 * }
 * ```
 */
export function checkFlow(
  flow: Flow,
  options: { readonly catalog?: Catalog; readonly balance?: string } = {},
): FlowCheck {
  const { catalog = NO_CATALOG } = options
  const graph = buildGraph(withCurrent(flow, catalog))
  const inspection = startInspection(graph)
  const wires = gradeWires(inspection)
  const price = priceFlow(graph)
  const places = new Map(
    ['input', ...graph.order, ...graph.circular, 'output'].map((id, index) => [id, index]),
  )
  const findings = listFindings(
    [
      checkSteps(graph),
      checkAgents(flow, catalog),
      checkInputs(inspection),
      checkWires(inspection, wires),
      checkBalance(price, options.balance),
    ],
    places,
  )
  return {
    ok: findings[0]?.severity !== 'error',
    findings,
    wires,
    price,
    duration: timeFlow(graph),
    input_schema: flow.inputs,
    output_schema: outputSchemaOf(graph),
  }
}

function checkBalance({ at_most: most }: FlowPrice, balance: string | undefined): LazyFinding[] {
  const [has, needs] = [readUsdc(balance), readUsdc(most)]
  if (balance === undefined || !has.ok || !needs.ok || has.atomic >= needs.atomic) return []
  return [find('error', 'balance', {}, `The wallet has ${balance} USDC; a run costs up to ${most} USDC.`)]
}
