import type { JsonObject, JsonValue } from '@farebox/protocol/fields/field'
import { FLOW_OUTPUT } from '../document/flow.ts'
import type { Graph } from '../graph/graph.ts'
import { paymentOf } from './payments.ts'
import { readSource } from './read-source.ts'
import { jobKey, type Run, type UnpaidReason } from './run-state.ts'

/** Something that a run waits for. */
export type Waiting =
  /** An agent, or its quote. */
  | { readonly for: 'agent'; readonly key: string }
  /** A payment of the payer. */
  | { readonly for: 'payment'; readonly key: string; readonly because: UnpaidReason }
  | { readonly for: 'person'; readonly step: string }
  /** Unix seconds. */
  | { readonly for: 'time'; readonly step: string; readonly until: number }
  /** A person who requests a failed job again. Until `until`, if present, the job may still be charged. */
  | { readonly for: 'retry'; readonly key: string; readonly until?: number }

/** The status of a run. */
export interface RunStatus {
  /**
   * - `running`: agents are at work
   * - `waiting`: a person has to act, or time has to pass
   * - `completed`: all possible outputs are available
   * - `failed`: a free step failed, and no other step can proceed
   * - `paused`, `cancelled`: by a command; agents that were at work may still finish
   */
  readonly status: 'running' | 'waiting' | 'completed' | 'failed' | 'paused' | 'cancelled'
  /** In the order of the steps. Empty when the run is completed or failed. */
  readonly waiting: readonly Waiting[]
  /** The available outputs of the run. */
  readonly output: JsonObject
}

/**
 * The status of a run, and what it waits for: a run that has not ended always waits for something.
 *
 * @example
 * ```ts
 * import type { Graph } from '@farebox/flows/graph/graph'
 * import type { Run } from '@farebox/flows/run/run-state'
 * import { statusOf } from '@farebox/flows/run/run-status'
 *
 * export function paymentsAskedFor(graph: Graph, run: Run): readonly string[] {
 *   return statusOf(graph, run).waiting.flatMap(one => (one.for === 'payment' ? [one.key] : []))
 * }
 * ```
 */
export function statusOf(graph: Graph, run: Run): RunStatus {
  const waiting = graph.order.flatMap(id => waitingOf(graph, run, id))
  return { status: wordFor(graph, run, waiting), waiting, output: outputOf(graph, run) }
}

function wordFor(graph: Graph, run: Run, waiting: readonly Waiting[]): RunStatus['status'] {
  const isOver = waiting.length === 0
  if (isOver && graph.order.every(id => isEnded(run, id))) return 'completed'
  if (run.control !== 'running') return run.control
  if (waiting.some(one => one.for === 'agent')) return 'running'
  return isOver ? 'failed' : 'waiting'
}

function isEnded(run: Run, id: string): boolean {
  const state = Object.hasOwn(run.steps, id) ? run.steps[id]?.state : undefined
  return state === 'done' || state === 'skipped'
}

function waitingOf(graph: Graph, run: Run, id: string): readonly Waiting[] {
  const state = Object.hasOwn(run.steps, id) ? run.steps[id] : undefined
  switch (state?.state) {
    case 'asking':
      return [{ for: 'person', step: id }]
    case 'sleeping':
      return [{ for: 'time', step: id, until: state.until }]
    case 'ordering': {
      const step = graph.flow.steps[id]
      const isMapped = step?.kind === 'job' && step.map !== undefined
      return state.jobs.flatMap((job, index): Waiting[] => {
        const key = jobKey(id, index, isMapped)
        switch (job.state) {
          case 'done':
            return []
          case 'sent':
          case 'quoting':
            return [{ for: 'agent', key }]
          case 'unpaid':
            return [{ for: 'payment', key, because: job.because }]
          case 'failed': {
            const payment = paymentOf(run, key)
            const until = payment?.state === 'sent' ? { until: payment.valid_before } : {}
            return [{ for: 'retry', key, ...until }]
          }
        }
      })
    }
    default:
      return []
  }
}

/** The available outputs of a run. */
export function outputOf(graph: Graph, run: Run): JsonObject {
  const values: [string, JsonValue][] = []
  for (const port of graph.flow.outputs) {
    const wire = graph.wireTo({ step: FLOW_OUTPUT, port })
    const found = wire === undefined ? undefined : readSource(run, wire.from)
    if (found?.is === 'there') values.push([port, found.value])
  }
  return Object.fromEntries(values)
}
