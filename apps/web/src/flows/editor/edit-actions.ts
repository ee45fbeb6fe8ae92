import { FLOW_INPUT, FLOW_OUTPUT, type Flow, type PortRef, type Step } from '@farebox/flows/document/flow'
import { applyEdits, freeStepId } from '@farebox/flows/edit/apply-edit'
import { autoMap } from '@farebox/flows/edit/auto-map'
import { buildGraph } from '@farebox/flows/graph/graph'
import { portsOf } from '@farebox/flows/internal/graph/ports'
import type { FlowView } from '../view/flow-view.ts'
import { BEST_GRADES } from '../view/fits.ts'
import { gradeTypes } from '../view/grade-types.ts'
import { withCurrent } from '@farebox/flows/internal/check/catalog'
import type { CanvasPoint, Edit } from '@farebox/flows/internal/edit/edit'
import { freeName, freeOutput } from '@farebox/flows/internal/document/free-name'
import { findInput, findOutput } from '@farebox/flows/internal/graph/find-port'
import type { FlowEditor } from './flow-editor.ts'
import { renameBySteps } from '../document/name-by-steps.ts'
import { findRoom, GAP_X, NODE_WIDTHS, placeBeforeOutputs, placeNodes, sizeOfCard } from '../view/places.ts'

/** The port that a new step is joined to. */
export type Join = { readonly from: PortRef } | { readonly to: PortRef }

/** Edits that record the current position of every step, so that later edits move no other step. */
export function keepPlaces(editor: FlowEditor): readonly Edit[] {
  const { flow } = editor.store.state()
  const layout = flow.layout ?? {}
  return [...placeNodes(flow, editor.live.read())]
    .filter(([id]) => !Object.hasOwn(layout, id))
    .map(([id, at]) => ({ edit: 'move-step', id, at }))
}

/** The flow with the position of every step, for copying. */
export function withPlaces(editor: FlowEditor): Flow {
  return applyEdits(editor.store.state().flow, keepPlaces(editor))
}

/**
 * Adds a step, selects it, and joins it by the ports that fit best.
 *
 * @param at the wanted position of its upper left corner; the step is placed at the nearest free position
 * @returns the id of the step
 */
export function addStep(
  editor: FlowEditor,
  step: Step,
  options: {
    readonly at?: CanvasPoint | undefined
    readonly join?: Join | undefined
    readonly port?: string
  } = {},
): string {
  const { store, live } = editor
  const { flow } = store.state()
  const view = live.read()
  const id = freeStepId(flow, step.kind === 'job' ? step.capability : step.kind)
  const { at, join, port } = options
  const size = sizeOfCard(step.kind === 'job' ? 'job' : 'adapter', countPorts(step))
  const places = placeNodes(flow, view)
  const placed =
    at === undefined
      ? placeBeforeOutputs(view, places, size, placeBeside(view, places, store.state().selection, join))
      : { at: findRoom(view, places, size, at), output: undefined }
  const edits: Edit[] = [
    ...keepPlaces(editor),
    { edit: 'add-step', id, step, at: placed.at },
    ...(placed.output === undefined
      ? []
      : [{ edit: 'move-step', id: FLOW_OUTPUT, at: placed.output } as const]),
  ]
  edits.push(...renameBySteps(flow, applyEdits(flow, edits)))
  const grown = applyEdits(flow, edits)
  store.edit([...edits, ...joinNew(withCurrent(grown, editor.catalog), id, join, port)], { select: [id] })
  return id
}

/** Adds a flow input that matches a port, and joins it to the port. */
export function askWhenRun(editor: FlowEditor, to: PortRef): void {
  const { store, live } = editor
  const port = findInput(live.read().graph, to)
  const type = port === undefined || port.type === 'any' ? ({ type: 'string' } as const) : port.type
  const name = freeName(Object.keys(store.state().flow.inputs), to.port)
  const { default: _, ...field } = type
  store.edit([
    { edit: 'set-input', name, field: { ...field, required: port?.required ?? true } },
    { edit: 'connect', from: { step: FLOW_INPUT, port: name }, to },
  ])
}

/** Adds a flow output that returns the value of a port. */
export function giveFromFlow(editor: FlowEditor, from: PortRef): void {
  const { store } = editor
  const name = freeOutput(store.state().flow, from)
  store.edit([
    { edit: 'add-output', name },
    { edit: 'connect', from, to: { step: FLOW_OUTPUT, port: name } },
  ])
}

/** Joins two ports. One of them may be a flow output that does not exist yet. */
export function joinPorts(editor: FlowEditor, from: PortRef, to: PortRef): void {
  editor.store.edit([{ edit: 'connect', from, to }])
}

/** Feeds the open inputs of a step: those whose names match, and required inputs also by type. */
export function feedOpen(editor: FlowEditor, step: string): number {
  const edits = autoMap(editor.live.read().graph, step)
  editor.store.edit(edits)
  return edits.length
}

/** Removes the selection: steps with their wires, and wires. The ends of the flow stay. */
export function removeChosen(editor: FlowEditor): void {
  const { flow, selection } = editor.store.state()
  const wires = editor.live.read().wires.filter(({ id }) => selection.has(id))
  const steps = Object.keys(flow.steps).filter(id => selection.has(id))
  const edits = [
    ...keepPlaces(editor),
    ...wires.map(({ to }): Edit => ({ edit: 'disconnect', to })),
    ...steps.map((id): Edit => ({ edit: 'remove-step', id })),
  ]
  editor.store.edit([...edits, ...renameBySteps(flow, applyEdits(flow, edits))], { select: [] })
}

function joinNew(flow: Flow, id: string, join: Join | undefined, port: string | undefined): readonly Edit[] {
  if (join === undefined) return []
  const graph = buildGraph(flow)
  if ('to' in join) {
    const wanted = findInput(graph, join.to)?.type ?? 'any'
    const output = port ?? best(graph.outputsOf(id), ({ type }) => gradeTypes(type, wanted).grade)
    return output === undefined ? [] : [{ edit: 'connect', from: { step: id, port: output }, to: join.to }]
  }
  const given = findOutput(graph, join.from)?.type ?? 'any'
  const input = port ?? best(graph.inputsOf(id), ({ type }) => gradeTypes(given, type).grade)
  if (input === undefined) return []
  const first: Edit = { edit: 'connect', from: join.from, to: { step: id, port: input } }
  return [first, ...autoMap(buildGraph(applyEdits(flow, [first])), id)]
}

function best<T extends { readonly name: string; readonly required?: boolean }>(
  ports: readonly T[],
  gradeOf: (port: T) => string,
): string | undefined {
  const fitting = ports
    .map((port, index) => ({ port, index, rank: BEST_GRADES.findIndex(grade => grade === gradeOf(port)) }))
    .filter(({ rank }) => rank !== -1)
    .sort(
      (one, other) =>
        Number(other.port.required ?? false) - Number(one.port.required ?? false) ||
        one.rank - other.rank ||
        one.index - other.index,
    )
  return fitting[0]?.port.name
}

/** The position right of the selection, or else of the last step; left of the port that the step is to feed. */
function placeBeside(
  { order }: FlowView,
  places: ReadonlyMap<string, CanvasPoint>,
  selection: ReadonlySet<string>,
  join: Join | undefined,
): CanvasPoint {
  const chosen = [...selection].find(id => places.has(id) && id !== FLOW_OUTPUT)
  const last = order
    .filter(id => id !== FLOW_OUTPUT && places.has(id))
    .toSorted((one, other) => {
      return (places.get(one)?.x ?? 0) - (places.get(other)?.x ?? 0)
    })
  const [id, side] =
    join === undefined
      ? [chosen ?? last.at(-1) ?? FLOW_INPUT, 1]
      : 'from' in join
        ? [join.from.step, 1]
        : [join.to.step, -1]
  const place = places.get(id) ?? { x: 0, y: 0 }
  const width = NODE_WIDTHS[id === FLOW_INPUT || id === FLOW_OUTPUT ? 'end' : 'job']
  return { x: place.x + (side === 1 ? width + GAP_X : -NODE_WIDTHS.job - GAP_X), y: place.y }
}

function countPorts(step: Step): number {
  const { inputs, outputs } = portsOf(step, () => undefined)
  return inputs.length + outputs.length
}
