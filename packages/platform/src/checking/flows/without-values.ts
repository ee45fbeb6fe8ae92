import type { Flow, PortRef, Step, Wire } from '@farebox/flows/document/flow'
import { buildGraph } from '@farebox/flows/graph/graph'
import type { Catalog, CurrentCapability } from '@farebox/flows/internal/check/catalog'
import { MAX_MAPPED_ITEMS, MAX_SPLIT_ITEMS } from '@farebox/flows/internal/document/flow-limits'
import type { Field, FieldMap } from '@farebox/protocol/fields/field'

/** The capabilities of an agent before and after a change. */
export interface Offers {
  readonly before: Catalog
  readonly after: Catalog
}

/**
 * Returns the structure of a flow without the values its owner entered, so that two flows that differ only in values become
 * equal. An input with a value is fed by a source of the type its agent has declared so far; any other input is fed by a
 * source of unknown type. The inputs of a run are reduced to their types.
 *
 * @param offers the capabilities of the agent about which callers may ask
 */
export function withoutValues(flow: Flow, offers: Offers): Flow {
  const steps = Object.entries(flow.steps).map(([id, step]): [string, Step] => [id, plainStep(step)])
  const inputs = Object.entries(flow.inputs).map(([name, field]): [string, Field] => [name, typeOf(field)])
  const plain = { ...flow, inputs: Object.fromEntries(inputs), steps: Object.fromEntries(steps) }
  return feedValues(plain, flow, offers)
}

function plainStep(given: Step): Step {
  const { constants: _, secret: __, ...step } = given
  switch (step.kind) {
    case 'constant':
    case 'default':
      return { ...step, value: null }
    case 'branch':
      return { ...step, condition: { is: 'there' } }
    case 'pick':
      return step.gives === undefined ? step : { ...step, gives: typeOf(step.gives) }
    case 'split':
      return { ...step, most: MAX_SPLIT_ITEMS }
    case 'job':
      return step.map === undefined ? step : { ...step, map: { ...step.map, most: MAX_MAPPED_ITEMS } }
    default:
      return step
  }
}

/** The type of a field and of its contents, without bounds, patterns and values. */
function typeOf({ type, required, items, properties }: Field): Field {
  return {
    type,
    ...(required !== undefined && { required }),
    ...(items !== undefined && { items: typeOf(items) }),
    ...(properties !== undefined && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, field]) => [name, typeOf(field)]),
      ),
    }),
  }
}

/**
 * Wires a source to every input that has a value. Inputs that the agent no longer accepts, or never accepted, are skipped.
 */
function feedValues(plain: Flow, { steps, wires }: Flow, { before, after }: Offers): Flow {
  const graph = buildGraph(plain)
  const free = freeIds(new Set([...Object.keys(steps), ...wires.map(({ from }) => from.step)]))
  const unknown = free()
  const sources = new Map<string, Step>([[unknown, { kind: 'constant', value: null }]])
  const wired = new Set(wires.map(({ to }) => keyOf(to)))
  // All steps with a value for the same input share one source, because there may be very many of them.
  const declared = new Map<string, string>()
  const feeding = Object.entries(steps).flatMap(([id, step]): Wire[] => {
    const ports = Object.keys(step.constants ?? {}).filter(port => !wired.has(keyOf({ step: id, port })))
    const was = step.kind === 'job' ? before.find(step.agent_id, step.capability) : undefined
    if (step.kind !== 'job' || was === undefined) {
      const known = new Set(graph.inputsOf(id).map(({ name }) => name))
      return ports.filter(port => known.has(port)).map(port => feed(unknown, { step: id, port }))
    }
    const is = after.find(step.agent_id, step.capability)
    return ports.flatMap((port): Wire[] => {
      const field = fieldOf(was, port)
      if (field === undefined || fieldOf(is, port) === undefined) return []
      const isMapped = step.map?.port === port
      const key = `${step.agent_id} ${isMapped} ${step.capability}\n${port}`
      const from = declared.get(key) ?? free()
      declared.set(key, from)
      const gives: Field = isMapped ? { type: 'array', items: field } : field
      sources.set(from, { kind: 'pick', path: [0], gives })
      return [feed(from, { step: id, port })]
    })
  })
  const typed = [...declared.values()].map(id => feed(unknown, { step: id, port: 'value' }))
  return {
    ...plain,
    steps: { ...plain.steps, ...Object.fromEntries(sources) },
    wires: [...plain.wires, ...typed, ...feeding],
  }
}

function feed(from: string, to: PortRef): Wire {
  return { from: { step: from, port: 'value' }, to }
}

function fieldOf(capability: CurrentCapability | null | undefined, port: string): Field | undefined {
  const fields: FieldMap = capability?.input_schema ?? {}
  return Object.hasOwn(fields, port) ? fields[port] : undefined
}

/** Generates ids outside `taken`, so that a wire from a missing step does not get a source by accident. */
function freeIds(taken: ReadonlySet<string>): () => string {
  let number = 0
  return () => {
    do number += 1
    while (taken.has(`value-${number}`))
    return `value-${number}`
  }
}

function keyOf({ step, port }: PortRef): string {
  return `${step} ${port}`
}
