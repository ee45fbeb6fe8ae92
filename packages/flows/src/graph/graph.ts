import type { Field } from '@farebox/protocol/fields/field'
import { FLOW_INPUT, FLOW_OUTPUT, type Flow, type PortRef, type Step, type Wire } from '../document/flow.ts'
import { MAX_FLOW_CHARACTERS } from '../document/flow-limits.ts'
import { weighJson } from '../document/json-weight.ts'
import { skips } from './skips.ts'
import { fieldOf, type PortType } from './field-of.ts'
import { portsOf, type Incoming, type InputPort, type OutputPort } from './ports.ts'

/** A flow with derived data: the order of its steps, their ports, and their connections. */
export interface Graph {
  readonly flow: Flow
  /** Ids of the steps, each after all steps that it depends on. Steps in a cycle are missing. */
  readonly order: readonly string[]
  /** Ids of the steps that depend on themselves, directly or through others, and of the steps that depend on those. */
  readonly circular: readonly string[]
  /** For steps, and for `input` (outputs only) and `output` (inputs only). */
  inputsOf(id: string): readonly InputPort[]
  outputsOf(id: string): readonly OutputPort[]
  /** May a run skip the step? True if it depends on one way of a branch, or on a step that does. */
  mayBeSkipped(id: string): boolean
  /** The wire that feeds an input; the first one if the document has several. */
  wireTo(target: PortRef): Wire | undefined
  /** The outputs that feed the inputs of the step. */
  wiredTo(id: string): readonly PortRef[]
  /** Ids of the steps that the step waits for, without `input`. */
  sourcesOf(id: string): readonly string[]
  /** Ids of the steps that wait for the step, without `output`. */
  targetsOf(id: string): readonly string[]
}

/**
 * Derives the graph of a flow. Takes time proportional to its steps and wires. An invalid flow has a graph too: wires from
 * or to missing ports carry no type and define no order.
 *
 * @example
 * ```ts
 * import type { Flow } from '@farebox/flows/document/flow'
 * import { buildGraph } from '@farebox/flows/graph/graph'
 *
 * export function printOrder(flow: Flow): void {
 *   const graph = buildGraph(flow)
 *   for (const id of graph.order) console.log(id, graph.inputsOf(id).map(({ name }) => name))
 * }
 * ```
 */
export function buildGraph(flow: Flow): Graph {
  const steps = new Map(Object.entries(flow.steps))
  const wires = new Map<string, Wire>()
  for (const wire of flow.wires) if (!wires.has(keyOf(wire.to))) wires.set(keyOf(wire.to), wire)
  const links = linkSteps(flow, steps)
  const { order, circular } = sortSteps(steps, links)

  const inputs = new Map<string, readonly InputPort[]>()
  const outputs = new Map<string, readonly OutputPort[]>([[FLOW_INPUT, outputsOfInput(flow)]])
  const typeOf = ({ step, port }: PortRef): PortType | undefined =>
    outputs.get(step)?.find(({ name }) => name === port)?.type
  for (const id of [...order, ...circular]) {
    const step = steps.get(id)
    if (step === undefined) continue
    const { inputs: takes, outputs: gives } = portsOf(step, incomingOf(id, step, wires, typeOf))
    inputs.set(id, takes)
    outputs.set(id, gives)
  }
  const fed = new Map<string, PortRef[]>()
  for (const { from, to } of wires.values()) fed.set(to.step, [...(fed.get(to.step) ?? []), from])
  const skippable = findSkippable(order, steps, fed, outputs)
  inputs.set(
    FLOW_OUTPUT,
    flow.outputs.map(name => ({ name, type: 'any', required: false })),
  )
  return {
    flow,
    order,
    circular,
    inputsOf: id => inputs.get(id) ?? [],
    outputsOf: id => outputs.get(id) ?? [],
    mayBeSkipped: id => skippable.has(id),
    wireTo: target => wires.get(keyOf(target)),
    wiredTo: id => fed.get(id) ?? [],
    sourcesOf: id => [...(links.sources.get(id) ?? [])],
    targetsOf: id => [...(links.targets.get(id) ?? [])],
  }
}

/**
 * The schema of a run's outputs, from the types of their sources. A large type may feed many outputs: once the size limit is
 * reached, further types are given without their contents.
 */
export function outputSchemaOf({ flow, wireTo, outputsOf, mayBeSkipped }: Graph): {
  readonly [name: string]: Field
} {
  const fields: [string, Field][] = []
  let left = MAX_FLOW_CHARACTERS
  for (const name of flow.outputs) {
    const wire = wireTo({ step: FLOW_OUTPUT, port: name })
    const port = wire && outputsOf(wire.from.step).find(one => one.name === wire.from.port)
    if (port === undefined || port.type === 'any') continue
    const isSure = port.always && !mayBeSkipped(wire?.from.step ?? '')
    const { required: _, default: __, ...whole } = port.type
    const type = weighJson(whole, left) <= left ? whole : { type: whole.type }
    left -= weighJson(type, left)
    fields.push([name, isSure ? type : { ...type, required: false }])
  }
  return Object.fromEntries(fields)
}

interface Links {
  readonly sources: ReadonlyMap<string, ReadonlySet<string>>
  readonly targets: ReadonlyMap<string, ReadonlySet<string>>
}

function linkSteps(flow: Flow, steps: ReadonlyMap<string, Step>): Links {
  const sources = new Map([...steps.keys()].map(id => [id, new Set<string>()]))
  const targets = new Map([...steps.keys()].map(id => [id, new Set<string>()]))
  const link = (from: string, to: string): void => {
    if (!steps.has(from) || !steps.has(to)) return
    sources.get(to)?.add(from)
    targets.get(from)?.add(to)
  }
  for (const { from, to } of flow.wires) link(from.step, to.step)
  for (const [id, { after }] of steps) for (const { step } of after ?? []) link(step, id)
  return { sources, targets }
}

function sortSteps(
  steps: ReadonlyMap<string, Step>,
  { sources, targets }: Links,
): { readonly order: readonly string[]; readonly circular: readonly string[] } {
  const open = new Map([...steps.keys()].map(id => [id, sources.get(id)?.size ?? 0]))
  const order = [...open].filter(([, count]) => count === 0).map(([id]) => id)
  for (const id of order) {
    for (const target of targets.get(id) ?? []) {
      const left = (open.get(target) ?? 0) - 1
      open.set(target, left)
      if (left === 0) order.push(target)
    }
  }
  const sorted = new Set(order)
  return { order, circular: [...steps.keys()].filter(id => !sorted.has(id)) }
}

/** Ids of the steps that a run may skip. */
function findSkippable(
  order: readonly string[],
  steps: ReadonlyMap<string, Step>,
  fed: ReadonlyMap<string, readonly PortRef[]>,
  outputs: ReadonlyMap<string, readonly OutputPort[]>,
): ReadonlySet<string> {
  const skippable = new Set<string>()
  const isUnsure = ({ step, port }: PortRef): boolean => {
    const source = steps.get(step)
    if (source === undefined) return false
    const hasWays = source.kind === 'branch' || source.kind === 'approval'
    return skippable.has(step) || (hasWays && outputs.get(step)?.some(({ name }) => name === port) === true)
  }
  for (const id of order) {
    const step = steps.get(id)
    if (step === undefined) continue
    if (skips(step, fed.get(id) ?? [], isUnsure)) skippable.add(id)
  }
  return skippable
}

function incomingOf(
  id: string,
  { constants = {} }: Step,
  wires: ReadonlyMap<string, Wire>,
  typeOf: (source: PortRef) => PortType | undefined,
): Incoming {
  return port => {
    const wire = wires.get(keyOf({ step: id, port }))
    // A missing port may give any value.
    if (wire !== undefined) return typeOf(wire.from) ?? 'any'
    return Object.hasOwn(constants, port) ? fieldOf(constants[port]) : undefined
  }
}

function outputsOfInput({ inputs }: Flow): readonly OutputPort[] {
  return Object.entries(inputs).map(([name, field]) => ({
    name,
    type: field,
    always: field.required === true || field.default !== undefined,
  }))
}

function keyOf({ step, port }: PortRef): string {
  // Ids of steps contain no spaces.
  return `${step} ${port}`
}
