import { useReactFlow } from '@xyflow/react'
import { useMemo, type DragEvent } from 'react'
import type { Step } from '@farebox/flows/document/flow'
import { addStep } from '../editor/edit-actions.ts'
import { NODE_WIDTHS } from '../view/places.ts'
import { useEditor } from '../editor/use-editor.ts'

/**
 * Event handlers for dropping files and steps from the library. The head of the new node is placed at the pointer.
 *
 * @param dragged returns the step that is being dragged; undefined when there is none
 * @param addFile adds the steps of a flow in a file
 */
export function useDrop(dragged: () => Step | undefined, addFile: (file: File) => void) {
  const editor = useEditor()
  const { screenToFlowPosition } = useReactFlow()
  return useMemo(
    () => ({
      onDragOver(event: DragEvent): void {
        if (dragged() === undefined && !event.dataTransfer.types.includes('Files')) return
        event.preventDefault()
        event.dataTransfer.dropEffect = 'copy'
      },
      onDrop(event: DragEvent): void {
        const step = dragged()
        const [file] = event.dataTransfer.files
        // Without this, the browser would leave the page to show the file.
        if (step !== undefined || file !== undefined) event.preventDefault()
        if (step !== undefined) {
          const { x, y } = screenToFlowPosition({ x: event.clientX, y: event.clientY })
          addStep(editor, step, { at: { x: Math.round(x - NODE_WIDTHS.job / 2), y: Math.round(y - 17) } })
        } else if (file !== undefined) addFile(file)
      },
    }),
    [editor, dragged, addFile, screenToFlowPosition],
  )
}
