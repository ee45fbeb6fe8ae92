import type { Edge, Node } from '@xyflow/react'
import type { FlowState } from '../document/flow-store.ts'
import type { FlowView } from '../view/flow-view.ts'
import type { NodeView } from '../view/views.ts'
import { wireEnds } from '../view/fits.ts'
import type { CanvasPoint } from '@farebox/flows/internal/edit/edit'
import type { Carried } from './wires/use-carry.ts'
import { AFTER_HANDLE } from './step-node.tsx'
import type { WireEdge } from './wires/wire.tsx'

/** Nodes in the order of the run, which is also the order of the Tab key. An unchanged node is the same object as before. */
export function nodesOf(
  view: FlowView,
  places: ReadonlyMap<string, CanvasPoint>,
  selection: FlowState['selection'],
  before: readonly Node[],
): Node[] {
  const known = new Map(before.map(node => [node.id, node]))
  return view.order.map(id => {
    const place = places.get(id) ?? { x: 0, y: 0 }
    const ariaLabel = nameNode(view.nodes.get(id))
    const selected = selection.has(id)
    const old = known.get(id)
    const isSame =
      old !== undefined &&
      old.position.x === place.x &&
      old.position.y === place.y &&
      old.selected === selected &&
      old.ariaLabel === ariaLabel
    if (isSame) return old
    return { ...old, id, type: 'step', position: { ...place }, selected, ariaLabel, data: old?.data ?? {} }
  })
}

/** All wires to draw, and the lines to steps that wait for another step without taking a value. */
export function edgesOf(
  view: FlowView,
  selection: FlowState['selection'],
  before: readonly Edge[],
): (WireEdge | Edge)[] {
  const known = new Map(before.map(edge => [edge.id, edge]))
  const wires = view.wires.map((wire): WireEdge | Edge => {
    const selected = selection.has(wire.id)
    const old = known.get(wire.id)
    if (old !== undefined && old.selected === selected && old.data?.['wire'] === wire) return old
    return {
      id: wire.id,
      type: 'wire',
      source: wire.from.step,
      sourceHandle: wire.from.port,
      target: wire.to.step,
      targetHandle: wire.to.port,
      selected,
      data: { wire },
    }
  })
  const afters = [...view.nodes.values()].flatMap(node =>
    node.after.map((from): Edge => {
      const id = `after ${from.step} ${from.port} ${node.id}`
      const made = {
        id,
        type: 'after',
        source: from.step,
        sourceHandle: from.port,
        target: node.id,
        targetHandle: AFTER_HANDLE,
        selectable: false,
      }
      return known.get(id) ?? made
    }),
  )
  return [...wires, ...afters]
}

/** The wire that is carried by the keyboard, drawn to the port that it currently points at. */
export function edgeOfCarried(carried: Carried | undefined): readonly WireEdge[] {
  const held = carried?.fits[carried.at]?.port
  if (carried === undefined || held === undefined) return []
  const [from, to] = wireEnds(carried.from, carried.side, held)
  return [
    {
      id: 'carried',
      type: 'wire',
      source: from.step,
      sourceHandle: from.port,
      target: to.step,
      targetHandle: to.port,
      selectable: false,
      data: {},
    },
  ]
}

function nameNode(node: NodeView | undefined): string {
  if (node === undefined) return ''
  const price =
    node.price === undefined ? (node.line === '' ? '' : `, ${node.line}, free`) : `, ${node.price} USDC`
  const job = node.job === undefined ? '' : ` ${node.job.capability}`
  const found =
    node.finding === 'error' ? ', has a problem' : node.finding === 'warning' ? ', has a warning' : ''
  return `${node.name}${job}${price}${found}`
}
