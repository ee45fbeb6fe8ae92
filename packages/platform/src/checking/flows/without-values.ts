import type { Flow, PortRef, Step, Wire } from '@farebox/flows/document/flow'
import { buildGraph } from '@farebox/flows/graph/graph'
import type { Catalog, CurrentCapability } from '@farebox/flows/internal/check/catalog'
import { MAX_MAPPED_ITEMS, MAX_SPLIT_ITEMS } from '@farebox/flows/internal/document/flow-limits'
import type { Field, FieldMap } from '@farebox/protocol/fields/field'

/** What an agent offers, and what it is to offer. */
export interface Offers {
  readonly before: Catalog
  readonly after: Catalog
}

/**
 * The flow as it is joined, without a value that its owner has put in: two flows that differ in values alone are the
 * same. An input that has a value is fed by something of the type that its agent has declared for it so far, any other
 * one by something of which nothing is known; what a run is asked for is known by its types alone.
 *
 * @param offers of the agent about which others may ask
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

/** The type of a field and of what it holds, without bounds, patterns and values. */
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

/** Leads something to every input that has a value. What an agent takes no more, or never took, is left alone. */
function feedValues(plain: Flow, { steps, wires }: Flow, { before, after }: Offers): Flow {
  const graph = buildGraph(plain)
  const inputs = new Map<string, Field>(Object.entries(plain.inputs))
  // A wire that leads from nowhere is not to come from somewhere.
  const named = new Set(wires.flatMap(({ from }) => [from.step, from.port]))
  const unknown = freeName('value', name => Object.hasOwn(steps, name) || named.has(name))
  const wired = new Set(wires.map(({ to }) => keyOf(to)))
  const declared = new Map<string, PortRef>()
  const feeding = Object.entries(steps).flatMap(([id, step]): Wire[] => {
    const ports = Object.keys(step.constants ?? {}).filter(port => !wired.has(keyOf({ step: id, port })))
    const was = step.kind === 'job' ? before.find(step.agent_id, step.capability) : undefined
    if (step.kind !== 'job' || was === undefined) {
      const known = new Set(graph.inputsOf(id).map(({ name }) => name))
      const from = { step: unknown, port: 'value' }
      return ports.filter(port => known.has(port)).map(port => ({ from, to: { step: id, port } }))
    }
    const is = after.find(step.agent_id, step.capability)
    return ports.flatMap((port): Wire[] => {
      const field = fieldOf(was, port)
      if (field === undefined || fieldOf(is, port) === undefined) return []
      const isMapped = step.map?.port === port
      // One for all steps that have a value for it: there may be very many of them.
      const key = `${step.agent_id} ${isMapped} ${step.capability}\n${port}`
      const from = declared.get(key) ?? {
        step: 'input',
        port: freeName(port, name => inputs.has(name) || named.has(name)),
      }
      declared.set(key, from)
      inputs.set(from.port, isMapped ? { type: 'array', items: field } : field)
      return [{ from, to: { step: id, port } }]
    })
  })
  return {
    ...plain,
    inputs: Object.fromEntries(inputs),
    steps: { ...plain.steps, [unknown]: { kind: 'constant', value: null } },
    wires: [...plain.wires, ...feeding],
  }
}

function fieldOf(capability: CurrentCapability | null | undefined, port: string): Field | undefined {
  const fields: FieldMap = capability?.input_schema ?? {}
  return Object.hasOwn(fields, port) ? fields[port] : undefined
}

function freeName(word: string, isTaken: (name: string) => boolean): string {
  let name = word
  while (isTaken(name)) name += '_'
  return name
}

function keyOf({ step, port }: PortRef): string {
  return `${step} ${port}`
}
