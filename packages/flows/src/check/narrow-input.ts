import type { Field } from '@farebox/protocol/fields/field'
import { FLOW_INPUT, type Wire } from '../document/flow.ts'
import { findInput } from '../graph/find-port.ts'
import type { Graph } from '../graph/graph.ts'
import type { Repair } from './finding.ts'
import type { Guesses } from './inspection.ts'

const LOWER = ['minLength', 'minimum', 'minItems'] as const
const UPPER = ['maxLength', 'maximum', 'maxItems'] as const
const WHOLE = ['pattern', 'format', 'enum', 'items', 'properties'] as const
const RANKS = ['same', 'safe', 'lossy', 'impossible'] as const

/**
 * Repairs that narrow an input of the flow to the values that its target accepts, so that a person who runs the flow sees
 * refused values before payment. None when that does not help, or makes another wire of the input worse.
 */
export function narrowInput(graph: Graph, guesses: Guesses, { from, to }: Wire): Repair[] {
  const { flow } = graph
  if (from.step !== FLOW_INPUT || !Object.hasOwn(flow.inputs, from.port)) return []
  const own = flow.inputs[from.port]
  const wanted = findInput(graph, to)?.type
  if (own === undefined || wanted === undefined || wanted === 'any') return []
  const field = narrow(own, wanted)
  const isBetter = flow.wires
    .filter(wire => wire.from.step === FLOW_INPUT && wire.from.port === from.port)
    .every(wire => {
      const type = findInput(graph, wire.to)?.type ?? 'any'
      const [before, after] = [own, field].map(one => RANKS.indexOf(guesses.gradeTypes(one, type).grade))
      const isThis = wire.to.step === to.step && wire.to.port === to.port
      return (after ?? 0) <= (isThis ? RANKS.indexOf('safe') : (before ?? 0))
    })
  return isBetter
    ? [
        {
          label: `Accept only what “${to.port}” takes`,
          edits: [{ edit: 'set-input', name: from.port, field }],
        },
      ]
    : []
}

/**
 * A field for the values that both accept: the texts of the first, the type of the input that it feeds, and the narrower of
 * each bound.
 */
function narrow(own: Field, wanted: Field): Field {
  const { type } = wanted
  // These values may be outside of the new bounds.
  const { default: _, examples: __, ...kept } = own
  const bounds: { [keyword: string]: unknown } = {}
  for (const keyword of LOWER)
    take(bounds, keyword, Math.max(own[keyword] ?? -Infinity, wanted[keyword] ?? -Infinity))
  for (const keyword of UPPER)
    take(bounds, keyword, Math.min(own[keyword] ?? Infinity, wanted[keyword] ?? Infinity))
  for (const keyword of WHOLE) {
    const value = wanted[keyword] ?? own[keyword]
    if (value !== undefined) bounds[keyword] = value
  }
  return { ...kept, ...bounds, type }
}

function take(bounds: { [keyword: string]: unknown }, keyword: string, value: number): void {
  if (Number.isFinite(value)) bounds[keyword] = value
}
