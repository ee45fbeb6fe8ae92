import { compileInput, formatViolation } from '@farebox/protocol/fields/compile'
import { readUsdc } from '@farebox/protocol/money/usdc'
import type { JsonObject } from '@farebox/protocol/fields/field'
import type { Graph } from '../graph/graph.ts'
import { advance, type Advanced } from './advance.ts'
import type { Run } from './run-state.ts'

/** A started run, or the reason why it cannot start. */
export type Started = ({ readonly ok: true } & Advanced) | { readonly ok: false; readonly reason: string }

/**
 * Starts a run: checks the input, and advances the run as far as possible without a payment. Orders nothing.
 *
 * @param graph the graph of a flow without errors according to `checkFlow`
 * @param options.max_total the limit for all payments of the run, in decimal USDC
 * @param options.now unix seconds
 * @param options.is_paid payments for it are available, and follow at once
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
