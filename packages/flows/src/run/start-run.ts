import { compileInput, formatViolation } from '@farebox/protocol/fields/compile'
import { readUsdc } from '@farebox/protocol/money/usdc'
import type { JsonObject } from '@farebox/protocol/fields/field'
import type { Graph } from '../graph/graph.ts'
import { advance, type Advanced } from './advance.ts'
import type { Run } from './run-state.ts'

/** A run that has begun, or why it cannot. */
export type Started = ({ readonly ok: true } & Advanced) | { readonly ok: false; readonly reason: string }

/**
 * Begins a run: checks the input, and goes as far as that goes without a payment. Nothing is ordered by it.
 *
 * @param graph of a flow in which `checkFlow` found no error
 * @param options.max_total decimal USDC that the run may come to
 * @param options.now unix seconds
 * @param options.is_paid payments for it are at hand, and are brought at once
 * @example
 * ```ts
 * import type { Flow } from '@farebox/flows/document/flow'
 * import { buildGraph } from '@farebox/flows/graph/graph'
 * import { startRun } from '@farebox/flows/run/start-run'
 * import { statusOf } from '@farebox/flows/run/run-status'
 *
 * export function begin(flow: Flow): void {
 *   const graph = buildGraph(flow)
 *   const started = startRun(graph, { article: 'Long.' }, { max_total: '0.02', now: Date.now() / 1_000 })
 *   if (started.ok) console.log(statusOf(graph, started.run).waiting) // [{ for: 'payment', key: 'summary', … }]
 *   else console.log(started.reason)
 * }
 * ```
 */
export function startRun(
  graph: Graph,
  input: JsonObject,
  options: { readonly max_total: string; readonly now: number; readonly is_paid?: boolean },
): Started {
  const limit = readUsdc(options.max_total)
  if (!limit.ok) return { ok: false, reason: `max_total: ${limit.reason}` }
  const checked = compileInput(graph.flow.inputs)(input)
  if (!checked.ok) return { ok: false, reason: formatViolation(checked.violation) }
  const run: Run = {
    flow: graph.flow,
    input: checked.value,
    max_total: options.max_total,
    control: 'running',
    steps: {},
    payments: {},
  }
  return { ok: true, ...advance(graph, run, options.now, options.is_paid) }
}
