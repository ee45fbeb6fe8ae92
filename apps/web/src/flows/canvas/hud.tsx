import { useReactFlow, useStore } from '@xyflow/react'
import type { ReactNode } from 'react'

/** How near the canvas is seen. */
export function Hud(): ReactNode {
  const { fitView, zoomIn, zoomOut, zoomTo } = useReactFlow()
  const percent = useStore(({ transform }) => Math.round(transform[2] * 100))
  return (
    <div className="hud">
      <span className="switch" role="group" aria-label="How near">
        <button type="button" aria-label="Farther" onClick={() => void zoomOut()}>
          −
        </button>
        <button type="button" aria-label={`${percent} %, to 100 %`} onClick={() => void zoomTo(1)}>
          {percent} %
        </button>
        <button type="button" aria-label="Nearer" onClick={() => void zoomIn()}>
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
