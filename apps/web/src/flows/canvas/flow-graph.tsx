import {
  Background,
  MiniMap,
  ReactFlow,
  SelectionMode,
  useReactFlow,
  useStore,
  type ReactFlowProps,
  type ReactFlowState,
} from '@xyflow/react'
import { useEffect, type ReactNode } from 'react'
import { useEditor } from '../editor/use-editor.ts'
import { useReadableFit } from './fit.ts'
import { StepNode } from './step-node.tsx'
import { AfterLine, WireLine } from './wires/wire.tsx'

const NODE_TYPES = { step: StepNode }
const EDGE_TYPES = { wire: WireLine, after: AfterLine }
const ARIA = {
  'node.a11yDescription.default':
    'Use the arrow keys to move this step, Enter to open it, Tab to go to its ports, and Delete to remove it.',
}

/**
 * React Flow with the look, panning, map and zoom buttons of the canvas. The caller provides nodes, wires and event
 * handlers.
 */
export function FlowGraph(props: ReactFlowProps): ReactNode {
  return (
    <>
      <ReactFlow
        {...props}
        nodeTypes={NODE_TYPES}
        edgeTypes={EDGE_TYPES}
        ariaLabelConfig={ARIA}
        deleteKeyCode={null}
        panActivationKeyCode={null}
        selectionMode={SelectionMode.Partial}
        disableKeyboardA11y
        edgesFocusable={false}
        panOnScroll
        minZoom={0.1}
        maxZoom={2}
        proOptions={{ hideAttribution: true }}
      >
        <Background gap={20} size={2.2} />
        <FlowMap />
      </ReactFlow>
      <ZoomButtons />
    </>
  )
}

/** A small map of a flow that is not completely in view; dragging in the map moves the canvas. */
function FlowMap(): ReactNode {
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

function ZoomButtons(): ReactNode {
  const { fitView, zoomIn, zoomOut, zoomTo } = useReactFlow()
  const percent = useStore(({ transform }) => Math.round(transform[2] * 100))
  const editor = useEditor()
  const fit = useReadableFit()
  useEffect(
    // Waits until the new places have been drawn.
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
