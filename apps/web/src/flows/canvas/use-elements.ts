import { applyNodeChanges, type Edge, type EdgeChange, type Node, type NodeChange } from '@xyflow/react'
import { useCallback, useLayoutEffect, useMemo, useState, type RefObject } from 'react'
import { keepPlaces } from '../editor/edit-actions.ts'
import { useEditor, useFlowState, useFlowView } from '../editor/use-editor.ts'
import { placeNodes } from '../view/places.ts'
import { edgesOf, nodesOf } from './elements.ts'

/** The nodes and wires of the flow for React Flow, and what it says of them put back into the flow. */
export function useElements() {
  const editor = useEditor()
  const view = useFlowView(one => one)
  const flow = useFlowState(state => state.flow)
  const selection = useFlowState(state => state.selection)
  const [nodes, setNodes] = useState<Node[]>(() => nodesOf(view, placeNodes(flow, view), selection, []))
  const [edges, setEdges] = useState<Edge[]>(() => edgesOf(view, selection, []))
  useLayoutEffect(() => {
    setNodes(before => nodesOf(view, placeNodes(flow, view), selection, before))
    setEdges(before => edgesOf(view, selection, before))
  }, [view, flow, selection])
  const choose = useCallback(
    (changes: readonly (NodeChange | EdgeChange)[]) => {
      const chosen = new Set(editor.store.state().selection)
      let isOther = false
      for (const change of changes) {
        if (change.type !== 'select' || chosen.has(change.id) === change.selected) continue
        isOther = true
        if (change.selected) chosen.add(change.id)
        else chosen.delete(change.id)
      }
      if (isOther) editor.store.select(chosen)
    },
    [editor],
  )
  const onNodesChange = useCallback(
    (changes: NodeChange[]) => {
      const others = changes.filter(({ type }) => type !== 'select' && type !== 'remove')
      if (others.length > 0) setNodes(before => applyNodeChanges(others, before))
      choose(changes)
    },
    [choose],
  )
  const onEdgesChange = useCallback((changes: EdgeChange[]) => choose(changes), [choose])
  const onDragStop = useCallback(
    (_: unknown, __: Node | Node[], moved: Node[] = []) => {
      const all = moved.length > 0 ? moved : Array.isArray(__) ? __ : [__]
      editor.store.edit([
        ...keepPlaces(editor),
        ...all.map(({ id, position: { x, y } }) => ({
          edit: 'move-step' as const,
          id,
          at: { x: Math.round(x), y: Math.round(y) },
        })),
      ])
    },
    [editor],
  )
  return { nodes, edges, onNodesChange, onEdgesChange, onDragStop }
}

/** Marks the canvas while something on it is dragged. */
export function useDragging(
  canvas: RefObject<HTMLElement | null>,
  stopped: (_: unknown, node: Node | Node[], moved?: Node[]) => void,
) {
  return useMemo(
    () => ({
      start: () => canvas.current?.setAttribute('data-dragging', ''),
      stop(event: unknown, node: Node | Node[], moved?: Node[]) {
        canvas.current?.removeAttribute('data-dragging')
        stopped(event, node, moved)
      },
    }),
    [canvas, stopped],
  )
}
