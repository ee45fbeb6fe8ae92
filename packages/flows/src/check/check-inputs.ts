import { compileInput } from '@farebox/protocol/fields/compile'
import { sample } from '@farebox/protocol/samples/sample'
import type { JsonValue } from '@farebox/protocol/fields/field'
import { FLOW_INPUT, FLOW_OUTPUT, type PortRef } from '../document/flow.ts'
import { freeStepId } from '../edit/apply-edit.ts'
import type { Graph } from '../graph/graph.ts'
import type { InputPort } from '../graph/ports.ts'
import { findSources } from './find-sources.ts'
import { find, type Finding, type Repair } from './finding.ts'
import { nameStep } from './name-step.ts'

/** Inputs that nothing feeds, that may stay empty, or whose constants are refused; outputs that nothing feeds. */
export function checkInputs(graph: Graph): Finding[] {
  const findings = Object.keys(graph.flow.steps).flatMap(id => [
    ...graph.inputsOf(id).flatMap(port => checkPort(graph, id, port)),
    ...checkStrayConstants(graph, id),
  ])
  return [...findings, ...graph.flow.outputs.flatMap(name => checkOutput(graph, name))]
}

function checkPort(graph: Graph, id: string, port: InputPort): Finding[] {
  const to = { step: id, port: port.name }
  const wire = graph.wireTo(to)
  const step = graph.flow.steps[id]
  const constants = step?.constants ?? {}
  if (wire !== undefined) return checkSource(graph, to, wire.from, port)
  if (Object.hasOwn(constants, port.name)) return checkConstant(to, port, constants[port.name] ?? null)
  if (!port.required) return []
  return [
    find(
      'error',
      'unfed',
      to,
      `“${port.name}” is required, and nothing feeds it.`,
      repairUnfed(graph, to, port),
    ),
  ]
}

/** An output that is not always there, into an input that has to be. */
function checkSource(graph: Graph, to: PortRef, from: PortRef, port: InputPort): Finding[] {
  const output = graph.outputsOf(from.step).find(({ name }) => name === from.port)
  if (output === undefined || output.always || !port.required) return []
  const source = Object.hasOwn(graph.flow.steps, from.step) ? graph.flow.steps[from.step] : undefined
  // What hangs on the other way of a branch is skipped, it does not fail.
  if (source?.kind === 'branch' || source?.kind === 'approval' || source?.kind === 'wait') return []
  const made = sampleOf(port)
  const id = freeStepId(graph.flow, 'default')
  const repairs: Repair[] =
    made === undefined
      ? []
      : [
          {
            label: 'Give a value for when it is missing',
            edits: [
              {
                edit: 'insert-step',
                id,
                step: { kind: 'default', value: made },
                to,
                takes: 'value',
                gives: 'value',
              },
            ],
          },
        ]
  return [
    find(
      'warning',
      'optional',
      to,
      `“${port.name}” is required, and ${nameStep(graph.flow, from.step)} may leave “${from.port}” out.`,
      repairs,
    ),
  ]
}

function checkConstant(to: PortRef, port: InputPort, value: JsonValue): Finding[] {
  if (port.type === 'any') return []
  const checked = compileInput({ [port.name]: { ...port.type, required: true } })({ [port.name]: value })
  if (checked.ok) return []
  const { field, reason } = checked.violation
  const made = sampleOf(port)
  return [
    find('error', 'constant', to, `${field}: ${reason}`, [
      ...(made === undefined
        ? []
        : [
            {
              label: `Use ${show(made)}`,
              edits: [{ edit: 'set-constant', to, value: made } as const],
            },
          ]),
      { label: 'Take the value away', edits: [{ edit: 'clear-constant', to }] },
    ]),
  ]
}

/** Values for inputs that are not there any more. */
function checkStrayConstants(graph: Graph, id: string): Finding[] {
  const known = new Set(graph.inputsOf(id).map(({ name }) => name))
  return Object.keys(graph.flow.steps[id]?.constants ?? {})
    .filter(name => !known.has(name))
    .map(port => {
      const to = { step: id, port }
      const repairs: Repair[] = [{ label: 'Take the value away', edits: [{ edit: 'clear-constant', to }] }]
      return find('warning', 'stray', to, `It takes no “${port}”, for which a value is set.`, repairs)
    })
}

function checkOutput(graph: Graph, port: string): Finding[] {
  const to = { step: FLOW_OUTPUT, port }
  if (graph.wireTo(to) !== undefined) return []
  return [
    find('error', 'unfed', to, `The flow’s output “${port}” is fed by nothing.`, [
      ...findSources(graph, to).map(source => connect(graph, source, to)),
      { label: `Remove the output “${port}”`, edits: [{ edit: 'remove-output', name: port }] },
    ]),
  ]
}

/** The best sources there are, an input of the flow, a value. */
function repairUnfed(graph: Graph, to: PortRef, port: InputPort): Repair[] {
  const repairs = findSources(graph, to).map(source => connect(graph, source, to))
  const { inputs } = graph.flow
  if (port.type !== 'any' && !Object.hasOwn(inputs, port.name))
    repairs.push({
      label: `Ask for “${port.name}” when the flow is run`,
      edits: [
        { edit: 'set-input', name: port.name, field: { ...port.type, required: true } },
        { edit: 'connect', from: { step: FLOW_INPUT, port: port.name }, to },
      ],
    })
  const made = sampleOf(port)
  if (made !== undefined)
    repairs.push({ label: `Always use ${show(made)}`, edits: [{ edit: 'set-constant', to, value: made }] })
  return repairs
}

function connect({ flow }: Graph, from: PortRef, to: PortRef): Repair {
  return {
    label: `Take “${from.port}” of ${nameStep(flow, from.step)}`,
    edits: [{ edit: 'connect', from, to }],
  }
}

function sampleOf({ name, type }: InputPort): JsonValue | undefined {
  if (type === 'any') return ''
  const made = sample({ [name]: { ...type, required: true } })
  return made.ok ? made.value[name] : undefined
}

function show(value: JsonValue): string {
  const text = JSON.stringify(value)
  return text.length <= 40 ? text : `${text.slice(0, 39)}…`
}
