import { applyNodeChanges, type Edge, type EdgeChange, type Node, type NodeChange } from '@xyflow/react'
import { useCallback, useLayoutEffect, useMemo, useState, type RefObject } from 'react'
import { keepPlaces } from '../editor/edit-actions.ts'
import { useEditor, useFlowState, useFlowView } from '../editor/use-editor.ts'
import { placeNodes } from '../view/places.ts'
import { edgesOf, nodesOf } from './elements.ts'

/** The nodes and wires of the flow as props of React Flow; writes selections and moves back to the flow. */
export function useElements(canvas: RefObject<HTMLElement | null>) {
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
  return { nodes, edges, onNodesChange, onEdgesChange, ...useDragging(canvas) }
}

/** Marks the canvas while steps are dragged, and moves the steps in the flow when the drag ends. */
function useDragging(canvas: RefObject<HTMLElement | null>) {
  const editor = useEditor()
  return useMemo(() => {
    const start = (): void => canvas.current?.setAttribute('data-dragging', '')
    const stop = (moved: readonly Node[]): void => {
      canvas.current?.removeAttribute('data-dragging')
      editor.store.edit([
        ...keepPlaces(editor),
        ...moved.map(({ id, position: { x, y } }) => ({
          edit: 'move-step' as const,
          id,
          at: { x: Math.round(x), y: Math.round(y) },
        })),
      ])
    }
    return {
      onNodeDragStart: start,
      onNodeDragStop: (_: unknown, node: Node, moved: Node[]) => stop(moved.length > 0 ? moved : [node]),
      onSelectionDragStart: start,
      onSelectionDragStop: (_: unknown, moved: Node[]) => stop(moved),
    }
  }, [canvas, editor])
}
