import type { Finding } from '@farebox/flows/internal/check/finding'
import { nameStep } from '@farebox/flows/internal/document/name-step'
import { nameStop } from '../describe/name-stop.ts'
import type { PortType } from '@farebox/flows/internal/graph/field-of'
import { FLOW_INPUT, FLOW_OUTPUT, type Flow, type PortRef, type Step } from '@farebox/flows/document/flow'
import type { Graph } from '@farebox/flows/graph/graph'
import type { FieldMap } from '@farebox/protocol/fields/field'
import { describePort } from './describe-port.ts'
import { describeStep } from './describe-step.ts'
import { keyOfInput } from './key-of-input.ts'
import type { Feed, NodeView, PortView, ShownType, WireView } from './views.ts'

/** The parts of a flow from which nodes are made. */
export interface NodeSources {
  /** The document. Its pinned terms may differ from the current ones. */
  readonly flow: Flow
  /** The graph with the current terms. */
  readonly graph: Graph
  readonly findings: ReadonlyMap<string, readonly Finding[]>
  /** By {@link keyOfInput}. */
  readonly wires: ReadonlyMap<string, WireView>
  /** The wires that begin at a step, by the id of the step. */
  readonly leaving: ReadonlyMap<string, readonly WireView[]>
}

/** A step with its current ports, and the removed ports that still have wires. */
export function viewNode(sources: NodeSources, id: string): NodeView {
  const { graph, findings } = sources
  const step = Object.hasOwn(graph.flow.steps, id) ? graph.flow.steps[id] : undefined
  const found = findings.get(id) ?? []
  return {
    id,
    kind: step?.kind ?? (id === FLOW_INPUT ? 'input' : 'output'),
    name: nameStop(graph.flow, id),
    price: step?.kind === 'job' ? step.pinned.price : undefined,
    line: step === undefined ? '' : describeStep(step),
    job:
      step?.kind === 'job'
        ? { agentId: step.agent_id, capability: step.capability, most: step.map?.most }
        : undefined,
    inputs: viewInputs(sources, id, step),
    outputs: viewOutputs(sources, id, step),
    after: step?.after ?? [],
    finding: worst(found),
  }
}

function viewInputs(sources: NodeSources, id: string, step: Step | undefined): readonly PortView[] {
  const { graph, wires, findings } = sources
  const found = findings.get(id) ?? []
  const pinned = pinnedFields(sources, id, 'input_schema')
  const views = graph.inputsOf(id).map(({ name, type, required }): PortView => {
    const wire = wires.get(keyOfInput({ step: id, port: name }))
    const isOutput = id === FLOW_OUTPUT
    const shown = isOutput ? (wire?.type ?? 'any') : shownType(type)
    const constants = step?.constants ?? {}
    const feed: Feed =
      wire !== undefined
        ? { by: 'wire', from: wire.from, words: wordsOfSource(graph, wire.from), grade: wire.grade }
        : Object.hasOwn(constants, name)
          ? { by: 'value', value: constants[name] ?? null }
          : { by: 'nothing', standard: type === 'any' ? undefined : type.default }
    const port = { side: 'in' as const, name, type: shown, required: isOutput || required, feed }
    const state: PortView['state'] = pinned === undefined || Object.hasOwn(pinned, name) ? 'there' : 'new'
    return finish(sources, id, { ...port, state, finding: worst(found.filter(one => one.port === name)) })
  })
  const known = new Set(views.map(({ name }) => name))
  const gone = new Set<string>()
  for (const { to } of graph.flow.wires) if (to.step === id && !known.has(to.port)) gone.add(to.port)
  for (const name of Object.keys(step?.constants ?? {})) if (!known.has(name)) gone.add(name)
  return [...views, ...[...gone].map(name => viewGone(sources, id, 'in', name, step))]
}

function viewOutputs(sources: NodeSources, id: string, step: Step | undefined): readonly PortView[] {
  const { graph, leaving } = sources
  const pinned = pinnedFields(sources, id, 'output_schema')
  const views = graph.outputsOf(id).map(({ name, type, always }): PortView => {
    const state: PortView['state'] = pinned === undefined || Object.hasOwn(pinned, name) ? 'there' : 'new'
    const base = { side: 'out' as const, name, type: shownType(type), required: always, state }
    return finish(sources, id, { ...base, feed: undefined, finding: undefined })
  })
  const known = new Set(views.map(({ name }) => name))
  const gone = new Set((leaving.get(id) ?? []).map(({ from }) => from.port).filter(name => !known.has(name)))
  return [...views, ...[...gone].map(name => viewGone(sources, id, 'out', name, step))]
}

function viewGone(
  sources: NodeSources,
  id: string,
  side: 'in' | 'out',
  name: string,
  step: Step | undefined,
): PortView {
  const wire = side === 'in' ? sources.wires.get(keyOfInput({ step: id, port: name })) : undefined
  const constants = step?.constants ?? {}
  const value = Object.hasOwn(constants, name) ? (constants[name] ?? null) : null
  const feed: Feed | undefined =
    side === 'out'
      ? undefined
      : wire !== undefined
        ? { by: 'wire', from: wire.from, words: wordsOfSource(sources.graph, wire.from), grade: wire.grade }
        : { by: 'value', value }
  const pinned = pinnedFields(sources, id, side === 'in' ? 'input_schema' : 'output_schema')
  const type = pinned !== undefined && Object.hasOwn(pinned, name) ? (pinned[name]?.type ?? 'any') : 'any'
  const finding = wire === undefined && side === 'in' ? 'warning' : 'error'
  return finish(sources, id, { side, name, type, required: false, state: 'gone', feed, finding })
}

function finish(sources: NodeSources, id: string, port: Omit<PortView, 'words'>): PortView {
  const targets =
    port.side === 'in'
      ? []
      : (sources.leaving.get(id) ?? []).filter(({ from }) => from.port === port.name).map(({ to }) => to)
  return { ...port, words: describePort(sources.graph, id, port, targets) }
}

/** The fields that the flow has pinned; undefined for steps without pinned fields. */
function pinnedFields(
  { flow }: NodeSources,
  id: string,
  side: 'input_schema' | 'output_schema',
): FieldMap | undefined {
  const step = Object.hasOwn(flow.steps, id) ? flow.steps[id] : undefined
  return step?.kind === 'job' ? step.pinned[side] : undefined
}

/** The source of an input in words. */
export function wordsOfSource(graph: Graph, from: PortRef): string {
  return from.step === FLOW_INPUT
    ? `flow input ${from.port}`
    : `${from.port} of ${nameStep(graph.flow, from.step)}`
}

function shownType(type: PortType): ShownType {
  return type === 'any' ? 'any' : type.type
}

const ORDER = ['error', 'warning', 'note'] as const

function worst(findings: readonly Finding[]): Finding['severity'] | undefined {
  return ORDER.find(severity => findings.some(one => one.severity === severity))
}
