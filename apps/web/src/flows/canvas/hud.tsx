import { useReactFlow, useStore } from '@xyflow/react'
import { useEffect, type ReactNode } from 'react'
import { useReadableFit } from './fit.ts'
import { useEditor } from '../editor/use-editor.ts'

/** How near the canvas is seen. */
export function Hud(): ReactNode {
  const { fitView, zoomIn, zoomOut, zoomTo } = useReactFlow()
  const percent = useStore(({ transform }) => Math.round(transform[2] * 100))
  const editor = useEditor()
  const fit = useReadableFit()
  useEffect(
    // Once what was placed anew is drawn.
    () => editor.onFit(() => setTimeout(fit, 60)),
    [editor, fit],
  )
  return (
    <div className="hud">
      <span className="switch" role="group" aria-label="Zoom">
        <button type="button" aria-label="Zoom out" onClick={() => void zoomOut()}>
          −
        </button>
        <button type="button" aria-label={`${percent}%, reset to 100%`} onClick={() => void zoomTo(1)}>
          {percent}%
        </button>
        <button type="button" aria-label="Zoom in" onClick={() => void zoomIn()}>
          +
        </button>
      </span>
      <span className="switch">
        <button type="button" onClick={() => void fitView({ padding: 0.08, maxZoom: 1 })}>
          Fit
        </button>
      </span>
    </div>
  )
}
