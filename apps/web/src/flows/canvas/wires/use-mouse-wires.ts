import { useReactFlow, type Connection, type Edge, type ReactFlowProps } from '@xyflow/react'
import type { PortRef } from '@farebox/flows/document/flow'
import { useMemo, useRef, type RefObject } from 'react'
import { bestFitAt, fitsFor, isSamePort, wireEnds, type FittingPort, type PortSide } from '../../view/fits.ts'
import { feedOpen, joinPorts } from '../../editor/edit-actions.ts'
import type { FlowEditor } from '../../editor/flow-editor.ts'
import { useEditor } from '../../editor/use-editor.ts'
import type { OpenedPopover } from '../canvas-popovers.tsx'
import { markFits, unmarkFits } from './mark-fits.ts'

/**
 * Wires drawn with a pointer. Ports that fit are marked meanwhile, and a wire dropped on the canvas offers steps that fit.
 */
export function useMouseWires(
  canvas: RefObject<HTMLElement | null>,
  open: (popover: OpenedPopover) => void,
): Drawing & Moving {
  const isMoved = useRef(false)
  const drawing = useDrawing(canvas, isMoved, useDroppedWire(canvas, open))
  const moving = useMoving(isMoved)
  return { ...drawing, ...moving }
}

/** A wire that is being drawn: the port at which it begins, and the ports that it can be joined to. */
interface DrawnWire {
  readonly from: PortRef
  readonly side: PortSide
  readonly fits: readonly FittingPort[]
}

type Drawing = Pick<
  ReactFlowProps,
  | 'onConnect'
  | 'onConnectStart'
  | 'onConnectEnd'
  | 'onClickConnectStart'
  | 'onClickConnectEnd'
  | 'isValidConnection'
>

/**
 * A wire from its first port until it is joined or dropped.
 *
 * @param isMoved whether it is an existing wire of the flow of which one end is being moved
 * @param dropped called when the wire is released away from every port that fits
 */
function useDrawing(
  canvas: RefObject<HTMLElement | null>,
  isMoved: { readonly current: boolean },
  dropped: (wire: DrawnWire, at: { readonly x: number; readonly y: number }) => void,
): Drawing {
  const editor = useEditor()
  const drawn = useRef<DrawnWire>(undefined)
  return useMemo(() => {
    const begin: ReactFlowProps['onConnectStart'] = (_, { nodeId, handleId, handleType }) => {
      if (nodeId === null || handleId === null) return
      const from = { step: nodeId, port: handleId }
      const side = handleType === 'target' ? 'in' : 'out'
      const fits = fitsFor(editor.live.read().graph, from, side)
      drawn.current = { from, side, fits }
      if (canvas.current !== null) markFits(canvas.current, from, side, fits)
    }
    const end = (): DrawnWire | undefined => {
      if (canvas.current !== null) unmarkFits(canvas.current)
      const { current } = drawn
      drawn.current = undefined
      return current
    }
    return {
      onConnectStart: begin,
      onClickConnectStart: begin,
      onClickConnectEnd: () => void end(),
      onConnectEnd(event, { isValid }) {
        const wire = end()
        if (wire === undefined || isValid === true || isMoved.current) return
        const pointer =
          'changedTouches' in event ? (event.changedTouches[0] ?? { clientX: 0, clientY: 0 }) : event
        dropped(wire, { x: pointer.clientX, y: pointer.clientY })
      },
      onConnect(connection) {
        const ends = endsOf(connection)
        if (ends !== undefined) joinPorts(editor, ...ends)
      },
      isValidConnection(connection) {
        const wire = drawn.current
        const ends = endsOf(connection)
        if (wire === undefined || ends === undefined) return false
        const other = wire.side === 'out' ? ends[1] : ends[0]
        return wire.fits.some(({ port }) => isSamePort(port, other))
      },
    }
  }, [canvas, isMoved, editor, dropped])
}

/** A wire that is released over a step is joined to that step; over the empty canvas, steps that fit are offered. */
function useDroppedWire(
  canvas: RefObject<HTMLElement | null>,
  open: (popover: OpenedPopover) => void,
): (wire: DrawnWire, at: { readonly x: number; readonly y: number }) => void {
  const editor = useEditor()
  const { screenToFlowPosition } = useReactFlow()
  return useMemo(
    () =>
      (wire, { x, y }) => {
        const under = document.elementFromPoint(x, y)
        const node = under?.closest<HTMLElement>('.react-flow__node')?.dataset['id']
        if (node !== undefined && node !== wire.from.step) return joinToStep(editor, wire, node)
        if (node !== undefined || under?.closest('.canvas') !== canvas.current) return
        const at = screenToFlowPosition({ x, y })
        const join = wire.side === 'out' ? { from: wire.from } : { to: wire.from }
        // The browser closes popovers that open before the button is released.
        requestAnimationFrame(() =>
          open({ kind: 'add', join, at, anchor: () => ({ left: x, right: x, top: y, bottom: y }) }),
        )
      },
    [canvas, editor, open, screenToFlowPosition],
  )
}

/** Joins a wire to the best fitting port of a step. If the wire feeds the step, further inputs are matched by name. */
function joinToStep(editor: FlowEditor, { from, side, fits }: DrawnWire, step: string): void {
  const best = bestFitAt(editor.live.read().graph, step, side, fits)
  if (best === undefined) return
  joinPorts(editor, ...wireEnds(from, side, best.port))
  if (side === 'out') feedOpen(editor, step)
}

type Moving = Pick<ReactFlowProps, 'onReconnect' | 'onReconnectStart' | 'onReconnectEnd'>

/** Moves one end of a wire to another port; the wire is removed if that end is released elsewhere. */
function useMoving(isMoved: { current: boolean }): Moving {
  const { store } = useEditor()
  return useMemo(
    () => ({
      onReconnectStart() {
        isMoved.current = true
      },
      onReconnect(edge, connection) {
        const ends = endsOf(connection)
        const before = endsOf(edge)
        if (ends === undefined || before === undefined) return
        store.edit([
          { edit: 'disconnect', to: before[1] },
          { edit: 'connect', from: ends[0], to: ends[1] },
        ])
      },
      onReconnectEnd(_, edge, __, { isValid }) {
        isMoved.current = false
        const before = endsOf(edge)
        if (isValid !== true && before !== undefined) store.edit([{ edit: 'disconnect', to: before[1] }])
      },
    }),
    [isMoved, store],
  )
}

function endsOf(connection: Connection | Edge): [from: PortRef, to: PortRef] | undefined {
  const { source, sourceHandle, target, targetHandle } = connection
  if (typeof sourceHandle !== 'string' || typeof targetHandle !== 'string') return undefined
  return [
    { step: source, port: sourceHandle },
    { step: target, port: targetHandle },
  ]
}
