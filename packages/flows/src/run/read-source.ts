import type { JsonValue } from '@farebox/protocol/fields/field'
import type { Graph } from '../graph/graph.ts'
import { FLOW_INPUT, type PortRef } from '../document/flow.ts'
import type { Run } from './run-state.ts'

/** What comes from an output now. */
export type Source =
  | { readonly is: 'there'; readonly value: JsonValue }
  /** Its step is done, and has left it out. */
  | { readonly is: 'absent' }
  /** Nothing will come: its step is left out, or went the other way. */
  | { readonly is: 'out' }
  /** Its step has not ended. */
  | { readonly is: 'open' }

/** What comes from an output of a step, or of the run's input. */
export function readSource(run: Run, { step, port }: PortRef): Source {
  if (step === FLOW_INPUT) return valueOf(run.input, port)
  const known = Object.hasOwn(run.steps, step) ? run.steps[step] : undefined
  if (known?.state === 'skipped') return { is: 'out' }
  if (known?.state !== 'done') return { is: 'open' }
  return known.closed.includes(port) ? { is: 'out' } : valueOf(known.outputs, port)
}

/** What an approval or a wait hands on: what came to its `value`, or its constant; undefined: nothing did. */
export function passedValue(graph: Graph, run: Run, id: string): JsonValue | undefined {
  const source = graph.wireTo({ step: id, port: 'value' })?.from
  if (source === undefined) return graph.flow.steps[id]?.constants?.['value']
  const found = readSource(run, source)
  return found.is === 'there' ? found.value : undefined
}

function valueOf(values: { readonly [port: string]: JsonValue }, port: string): Source {
  const value = Object.hasOwn(values, port) ? values[port] : undefined
  return value === undefined ? { is: 'absent' } : { is: 'there', value }
}
