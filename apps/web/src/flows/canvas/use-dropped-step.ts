import { useReactFlow } from '@xyflow/react'
import { useMemo, type DragEvent } from 'react'
import type { Step } from '@farebox/flows/document/flow'
import { addStep } from '../editor/edit-actions.ts'
import { NODE_WIDTHS } from '../view/places.ts'
import { useEditor } from '../editor/use-editor.ts'

/** Steps that are dragged in from the library, beside files: the pointer is where the head of the new node will be. */
export function useDroppedStep(dragged: () => Step | undefined) {
  const editor = useEditor()
  const { screenToFlowPosition } = useReactFlow()
  return useMemo(
    () => ({
      over(event: DragEvent): void {
        if (dragged() === undefined && !event.dataTransfer.types.includes('Files')) return
        event.preventDefault()
        event.dataTransfer.dropEffect = 'copy'
      },
      drop(event: DragEvent): void {
        const step = dragged()
        if (step === undefined) return
        event.preventDefault()
        const { x, y } = screenToFlowPosition({ x: event.clientX, y: event.clientY })
        addStep(editor, step, { at: { x: Math.round(x - NODE_WIDTHS.job / 2), y: Math.round(y - 17) } })
      },
    }),
    [editor, dragged, screenToFlowPosition],
  )
}
