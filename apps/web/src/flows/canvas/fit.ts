import { useNodesInitialized, useReactFlow, useStoreApi } from '@xyflow/react'
import { useCallback, useEffect, useRef } from 'react'
import { useEditor } from '../editor/use-editor.ts'

/** The lowest readable zoom: below it, the smallest text of a node, 12 px, is smaller than 11 px. */
const READABLE = 0.92
/** Free space at each side of the flow. */
const MARGIN_PX = 24

/** Brings the whole flow into view if it stays readable; otherwise shows the flow from its beginning. */
export function useReadableFit(): () => void {
  const { getNodes, getNodesBounds, fitView, setViewport } = useReactFlow()
  const store = useStoreApi()
  return useCallback(() => {
    const { width, height } = store.getState()
    const bounds = getNodesBounds(getNodes())
    const zoom = Math.min((width - 2 * MARGIN_PX) / bounds.width, (height - 2 * MARGIN_PX) / bounds.height)
    if (zoom >= READABLE) return void fitView({ padding: `${MARGIN_PX}px`, maxZoom: 1 })
    const spare = width - bounds.width * READABLE
    const x = Math.max(MARGIN_PX, spare / 2) - bounds.x * READABLE
    void setViewport({ x, y: MARGIN_PX - bounds.y * READABLE, zoom: READABLE })
  }, [store, getNodes, getNodesBounds, fitView, setViewport])
}

/**
 * Fits the flow into view when it is first drawn and when another flow replaces it; after that only the reader moves the
 * view. React Flow also measures a step that is added, which does not count as a first drawing.
 */
export function useFirstFit(): void {
  const editor = useEditor()
  const fit = useReadableFit()
  const isMeasured = useNodesInitialized()
  const fitted = useRef<ReadonlySet<string>>(undefined)
  useEffect(() => {
    if (!isMeasured) return
    const steps = Object.keys(editor.store.state().flow.steps)
    const before = fitted.current
    const isOther = before === undefined || (steps.length > 1 && !steps.some(id => before.has(id)))
    fitted.current = new Set(steps)
    if (isOther) fit()
  }, [editor, isMeasured, fit])
}
