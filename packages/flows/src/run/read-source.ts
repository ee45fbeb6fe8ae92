import type { JsonValue } from '@farebox/protocol/fields/field'
import type { Graph } from '../graph/graph.ts'
import { FLOW_INPUT, type PortRef } from '../document/flow.ts'
import type { Run } from './run-state.ts'

/** The current state of an output. */
type Source =
  | { readonly is: 'there'; readonly value: JsonValue }
  /** Its step is done, without this output. */
  | { readonly is: 'absent' }
  /** There will be no value: its step is skipped, or went the other way. */
  | { readonly is: 'out' }
  /** Its step has not ended. */
  | { readonly is: 'open' }

/** Reads the current value of an output of a step, or of the run's input. */
export function readSource(run: Run, { step, port }: PortRef): Source {
  if (step === FLOW_INPUT) return valueOf(run.input, port)
  const known = Object.hasOwn(run.steps, step) ? run.steps[step] : undefined
  if (known?.state === 'skipped') return { is: 'out' }
  if (known?.state !== 'done') return { is: 'open' }
  return known.closed.includes(port) ? { is: 'out' } : valueOf(known.outputs, port)
}

/** The value that an approval or a wait passes on: the one at its `value`, or its constant; undefined when there is none. */
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
