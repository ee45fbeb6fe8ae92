import { MiniMap, useStore, type ReactFlowState } from '@xyflow/react'
import type { ReactNode } from 'react'

/** A small map of a flow that is not all in view; dragging in it moves the canvas. */
export function FlowMap(): ReactNode {
  const isOutside = useStore(hasNodesOutside)
  if (!isOutside) return null
  return (
    <MiniMap
      className="flow-map"
      ariaLabel="Map of the flow"
      position="bottom-right"
      pannable
      nodeBorderRadius={4}
      maskStrokeWidth={2}
    />
  )
}

function hasNodesOutside({ nodeLookup, transform: [x, y, zoom], width, height }: ReactFlowState): boolean {
  for (const { internals, measured } of nodeLookup.values()) {
    const { positionAbsolute: at } = internals
    const left = at.x * zoom + x
    const top = at.y * zoom + y
    const right = left + (measured.width ?? 0) * zoom
    const bottom = top + (measured.height ?? 0) * zoom
    if (left < 0 || top < 0 || right > width || bottom > height) return true
  }
  return false
}
