import { useNodesInitialized, useReactFlow, useStoreApi } from '@xyflow/react'
import { useCallback, useEffect, useRef } from 'react'
import { useEditor } from '../editor/use-editor.ts'

/** Below it the smallest text of a node, 12 px, has less than 11. */
const READABLE = 0.92
/** At each side. */
const MARGIN_PX = 24

/** Brings all of the flow into view where it can be read then; a longer one is shown from its beginning. */
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
 * The flow is in view when it is first drawn, and when another flow replaces it; from then on only the reader moves it.
 * A step that is added is measured too, which is no reason.
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
