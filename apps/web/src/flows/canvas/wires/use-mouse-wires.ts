import { useReactFlow, type Connection, type Edge, type ReactFlowProps } from '@xyflow/react'
import type { PortRef } from '@farebox/flows/document/flow'
import { useMemo, useRef, type RefObject } from 'react'
import { sourcesFor, targetsFor, type Fit } from '../../view/fits.ts'
import { feedOpen, joinPorts } from '../../editor/edit-actions.ts'
import { useEditor } from '../../editor/use-editor.ts'
import type { OpenedPopover } from '../canvas-popovers.tsx'
import { markFits, unmarkFits } from './mark-fits.ts'

type WireProps = Pick<
  ReactFlowProps,
  | 'onConnect'
  | 'onConnectStart'
  | 'onConnectEnd'
  | 'onClickConnectStart'
  | 'onClickConnectEnd'
  | 'isValidConnection'
  | 'onReconnect'
  | 'onReconnectStart'
  | 'onReconnectEnd'
>

interface Drawn {
  readonly from: PortRef
  readonly side: 'in' | 'out'
  readonly fits: readonly Fit[]
}

/** Wires drawn with a pointer: ports that fit are shown meanwhile, and what fits is offered where one is dropped. */
export function useMouseWires(
  canvas: RefObject<HTMLElement | null>,
  open: (popover: OpenedPopover) => void,
): WireProps {
  const editor = useEditor()
  const { screenToFlowPosition } = useReactFlow()
  const drawn = useRef<Drawn>(undefined)
  const moved = useRef<Edge>(undefined)
  return useMemo(() => {
    const begin = (nodeId: string | null, handleId: string | null, side: 'in' | 'out'): void => {
      if (nodeId === null || handleId === null) return
      const from = { step: nodeId, port: handleId }
      const { graph } = editor.live.read()
      const fits = side === 'out' ? targetsFor(graph, from) : sourcesFor(graph, from)
      drawn.current = { from, side, fits }
      if (canvas.current !== null) markFits(canvas.current, from, side, fits)
    }
    const end = (): Drawn | undefined => {
      if (canvas.current !== null) unmarkFits(canvas.current)
      const { current } = drawn
      drawn.current = undefined
      return current
    }
    return {
      onConnectStart: (_, { nodeId, handleId, handleType }) =>
        begin(nodeId, handleId, handleType === 'target' ? 'in' : 'out'),
      onClickConnectStart: (_, { nodeId, handleId, handleType }) =>
        begin(nodeId, handleId, handleType === 'target' ? 'in' : 'out'),
      onClickConnectEnd: () => void end(),
      onConnectEnd(event, { isValid }) {
        const wire = end()
        if (wire === undefined || isValid === true || moved.current !== undefined) return
        const { clientX: x, clientY: y } =
          'changedTouches' in event ? (event.changedTouches[0] ?? { clientX: 0, clientY: 0 }) : event
        const under = document.elementFromPoint(x, y)
        const node = under?.closest<HTMLElement>('.react-flow__node')?.dataset['id']
        if (node !== undefined && node !== wire.from.step) return joinTo(wire, node)
        if (node !== undefined || under?.closest('.canvas') !== canvas.current) return
        const at = screenToFlowPosition({ x, y })
        const join = wire.side === 'out' ? { from: wire.from } : { to: wire.from }
        // The browser closes what opens while a button is let go.
        requestAnimationFrame(() =>
          open({ kind: 'add', join, at, anchor: () => ({ left: x, right: x, top: y, bottom: y }) }),
        )
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
        return wire.fits.some(({ port }) => port.step === other.step && port.port === other.port)
      },
      onReconnectStart(_, edge) {
        moved.current = edge
      },
      onReconnect(edge, connection) {
        const ends = endsOf(connection)
        const before = endsOf(edge)
        if (ends === undefined || before === undefined) return
        editor.store.edit([
          { edit: 'disconnect', to: before[1] },
          { edit: 'connect', from: ends[0], to: ends[1] },
        ])
      },
      onReconnectEnd(_, edge, __, { isValid }) {
        moved.current = undefined
        const before = endsOf(edge)
        if (isValid !== true && before !== undefined)
          editor.store.edit([{ edit: 'disconnect', to: before[1] }])
      },
    }

    /** Dropped on a step, not on a port: the first that fits best, and what else has the same name. */
    function joinTo(wire: Drawn, node: string): void {
      const fits = wire.fits.filter(({ port }) => port.step === node)
      const open = fits.filter(({ port }) => editor.live.read().graph.wireTo(port) === undefined)
      const best = ['same', 'safe', 'lossy'].flatMap(grade => open.filter(fit => fit.grade === grade)).at(0)
      if (best === undefined) return
      if (wire.side === 'in') return joinPorts(editor, best.port, wire.from)
      joinPorts(editor, wire.from, best.port)
      feedOpen(editor, node)
    }
  }, [canvas, editor, open, screenToFlowPosition])
}

function endsOf({
  source,
  sourceHandle,
  target,
  targetHandle,
}: Connection | Edge): [PortRef, PortRef] | undefined {
  if (
    sourceHandle === null ||
    sourceHandle === undefined ||
    targetHandle === null ||
    targetHandle === undefined
  )
    return undefined
  return [
    { step: source, port: sourceHandle },
    { step: target, port: targetHandle },
  ]
}
