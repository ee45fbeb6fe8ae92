import { formatViolation } from '@farebox/protocol/fields/compile'
import type { JsonValue } from '@farebox/protocol/fields/field'
import { FLOW_INPUT, FLOW_OUTPUT, type PortRef } from '../document/flow.ts'
import { freeStepId } from '../edit/apply-edit.ts'
import type { Graph } from '../graph/graph.ts'
import type { InputPort } from '../graph/ports.ts'
import { findSources } from './find-sources.ts'
import { find, type LazyFinding, type Repair } from './finding.ts'
import type { Inspection } from './inspection.ts'
import { nameStep } from '../document/name-step.ts'
import { findOutput } from '../graph/find-port.ts'

/**
 * Findings about inputs that have no source, that may stay empty, or whose constants are refused; and about outputs without
 * a source.
 */
export function* checkInputs(inspection: Inspection): Generator<LazyFinding> {
  const { graph } = inspection
  for (const id of Object.keys(graph.flow.steps)) {
    for (const port of graph.inputsOf(id)) yield* checkPort(inspection, id, port)
    yield* checkStrayConstants(graph, id)
  }
  for (const name of graph.flow.outputs) yield* checkOutput(inspection, name)
}

function checkPort(inspection: Inspection, id: string, port: InputPort): LazyFinding[] {
  const { graph } = inspection
  const to = { step: id, port: port.name }
  const wire = graph.wireTo(to)
  const step = graph.flow.steps[id]
  const constants = step?.constants ?? {}
  if (wire !== undefined) return checkSource(inspection, to, wire.from, port)
  if (Object.hasOwn(constants, port.name))
    return checkConstant(inspection, port, to, constants[port.name] ?? null)
  if (!port.required) return []
  return [
    find('error', 'unfed', to, `“${port.name}” is required, and nothing feeds it.`, () =>
      repairUnfed(inspection, to, port),
    ),
  ]
}

/** A finding when an output that may be absent feeds a required input. */
function checkSource(
  { graph, guesses }: Inspection,
  to: PortRef,
  from: PortRef,
  port: InputPort,
): LazyFinding[] {
  const output = findOutput(graph, from)
  if (output === undefined || output.always || !port.required) return []
  const source = Object.hasOwn(graph.flow.steps, from.step) ? graph.flow.steps[from.step] : undefined
  // A step on the other way of a branch is skipped; it does not fail.
  if (source?.kind === 'branch' || source?.kind === 'approval' || source?.kind === 'wait') return []
  return [
    find(
      'warning',
      'optional',
      to,
      `“${port.name}” is required, and ${nameStep(graph.flow, from.step)} may leave “${from.port}” out.`,
      () => {
        const value = guesses.sampleOf(port)
        if (value === undefined) return []
        const id = freeStepId(graph.flow, 'default')
        const step = { kind: 'default', value } as const
        const edit = { edit: 'insert-step', id, step, to, takes: 'value', gives: 'value' } as const
        return [{ label: 'Set a value to use when it is missing', edits: [edit] }]
      },
    ),
  ]
}

function checkConstant(
  { judgeValue }: Inspection,
  port: InputPort,
  to: PortRef,
  value: JsonValue,
): LazyFinding[] {
  const violation = judgeValue(port, value)
  if (violation === undefined) return []
  return [
    find('error', 'constant', to, formatViolation(violation), () => [
      { label: 'Remove the value', edits: [{ edit: 'clear-constant', to }] },
    ]),
  ]
}

/** Findings about constants for inputs that do not exist any more. */
function checkStrayConstants(graph: Graph, id: string): LazyFinding[] {
  const known = new Set(graph.inputsOf(id).map(({ name }) => name))
  return Object.keys(graph.flow.steps[id]?.constants ?? {})
    .filter(name => !known.has(name))
    .map(port => {
      const to = { step: id, port }
      return find('warning', 'stray', to, `A value is set for “${port}”, which is not an input.`, () => [
        { label: 'Remove the value', edits: [{ edit: 'clear-constant', to }] },
      ])
    })
}

function checkOutput(inspection: Inspection, port: string): LazyFinding[] {
  const { graph } = inspection
  const to = { step: FLOW_OUTPUT, port }
  if (graph.wireTo(to) !== undefined) return []
  return [
    find('error', 'unfed', to, `The flow’s output “${port}” has no source.`, () => [
      ...findSources(inspection, to).map(({ from }) => connect(graph, from, to)),
      { label: `Remove the output “${port}”`, edits: [{ edit: 'remove-output', name: port }] },
    ]),
  ]
}

/**
 * The best available sources, or an input of the flow. A constant must be typed by a person: an invented one is never
 * intended.
 */
function repairUnfed(inspection: Inspection, to: PortRef, port: InputPort): Repair[] {
  const { graph } = inspection
  const sources = findSources(inspection, to)
  const repairs = sources.filter(({ kind }) => kind !== 'other').map(({ from }) => connect(graph, from, to))
  const { inputs } = graph.flow
  if (port.type !== 'any' && !Object.hasOwn(inputs, port.name))
    repairs.push({
      label: `Ask for “${port.name}” when the flow runs`,
      edits: [
        { edit: 'set-input', name: port.name, field: { ...port.type, required: true } },
        { edit: 'connect', from: { step: FLOW_INPUT, port: port.name }, to },
      ],
    })
  const others = sources.filter(({ kind }) => kind === 'other')
  return [...repairs, ...others.map(({ from }) => connect(graph, from, to))]
}

function connect({ flow }: Graph, from: PortRef, to: PortRef): Repair {
  return {
    label: `Use “${from.port}” from ${nameStep(flow, from.step)}`,
    edits: [{ edit: 'connect', from, to }],
  }
}
