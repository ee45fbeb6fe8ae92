import {
  Background,
  ReactFlow,
  ReactFlowProvider,
  SelectionMode,
  useStore,
  type ReactFlowProps,
} from '@xyflow/react'
import { useCallback, useMemo, useRef, useState, type ReactNode } from 'react'
import type { PortRef, Step } from '@farebox/flows/document/flow'
import { useFlowState } from '../editor/use-editor.ts'
import { AfterLine } from './wires/after-line.tsx'
import { CanvasProvider, NearContext, type CanvasActions } from './canvas-context.ts'
import { CanvasPopovers, type OpenedPopover } from './canvas-popovers.tsx'
import { edgeOfCarried } from './elements.ts'
import { useFirstFit } from './fit.ts'
import { FlowMap } from './flow-map.tsx'
import { Hud } from './hud.tsx'
import { findNode } from './wires/mark-fits.ts'
import { StepNode } from './step-node.tsx'
import { useCanvasKeys } from './use-canvas-keys.ts'
import { useCarry, type Carried } from './wires/use-carry.ts'
import { useClipboard } from './use-clipboard.ts'
import { useDroppedStep } from './use-dropped-step.ts'
import { useDragging, useElements } from './use-elements.ts'
import { NEAR, useShow, useTypedValue } from './use-show.ts'
import { useMouseWires } from './wires/use-mouse-wires.ts'
import { Wire } from './wires/wire.tsx'

/** What the canvas asks of the page around it. */
export interface CanvasProps {
  readonly toOutline: () => void
  readonly toPrice: () => void
  /** What is dragged from the library just now. */
  readonly dragged: () => Step | undefined
}

const NODE_TYPES = { step: StepNode }
const EDGE_TYPES = { wire: Wire, after: AfterLine }
/** Below it nothing of a node can be read. */
const FAR = 0.3
const ARIA = {
  'node.a11yDescription.default':
    'Use the arrow keys to move this step, Enter to open it, Tab to go to its ports, and Delete to remove it.',
}

/** The canvas: steps as nodes, wires between their ports. */
export function FlowCanvas(props: CanvasProps): ReactNode {
  return (
    <ReactFlowProvider>
      <Canvas {...props} />
    </ReactFlowProvider>
  )
}

function Canvas({ toOutline, toPrice, dragged }: CanvasProps): ReactNode {
  const canvas = useRef<HTMLDivElement>(null)
  const { opened, open, close } = useOpenedPopover()
  const { nodes, edges, onNodesChange, onEdgesChange, onDragStop } = useElements()
  const dragging = useDragging(canvas, onDragStop)
  const show = useShow(canvas)
  const carry = useCarry(canvas, show)
  const shownEdges = useMemo(() => [...edges, ...edgeOfCarried(carry.carried)], [edges, carry.carried])
  useFirstFit()
  const isNear = useStore(({ transform }) => transform[2] >= NEAR)
  const isFar = useStore(({ transform }) => transform[2] < FAR)
  const mouse = useMouseWires(canvas, open)
  const clipboard = useClipboard()
  const drop = useDroppedStep(dragged)
  const actions = useCanvasActions(open, carry.press)
  const { openStep } = actions
  useTypedValue(canvas, actions.openValue)
  const add = (): void => {
    const { carried } = carry
    carry.letGo()
    const at = canvas.current?.getBoundingClientRect()
    if (at !== undefined) open(addOnCanvas(at, carried))
  }
  const press = useCanvasKeys(canvas, carry, {
    add,
    openStep,
    duplicate: clipboard.duplicate,
    toOutline,
    toPrice,
  })
  return (
    <CanvasProvider value={actions}>
      <NearContext value={isNear}>
        {/* Whatever is on it is reached by Tab, and has a role and a name of its own. */}
        {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions */}
        <div
          ref={canvas}
          className="canvas"
          data-far={isFar ? '' : undefined}
          role="region"
          aria-label="Canvas"
          tabIndex={-1}
          onKeyDown={press}
          onCopy={clipboard.copy}
          onCut={clipboard.cut}
          onPaste={clipboard.paste}
          onPointerDownCapture={clipboard.forget}
          onDragOver={drop.over}
          onDrop={event => {
            drop.drop(event)
            clipboard.drop(event)
          }}
        >
          <FlowGraph
            nodes={nodes}
            edges={shownEdges}
            onNodesChange={onNodesChange}
            onEdgesChange={onEdgesChange}
            onNodeDragStart={dragging.start}
            onNodeDragStop={dragging.stop}
            onSelectionDragStart={dragging.start}
            onSelectionDragStop={dragging.stop}
            onNodeDoubleClick={(event, { id }) => {
              const node = canvas.current === null ? undefined : findNode(canvas.current, id)
              if (node !== undefined && !(event.target instanceof HTMLSelectElement)) openStep(id, node)
            }}
            {...mouse}
          />
          <Hud />
          <EmptyHint />
          <p className="unseen" role="status">
            {carry.words}
          </p>
          {clipboard.problem !== undefined && (
            <p className="not-pasted small" role="alert">
              <bdi>{clipboard.problem}</bdi>
            </p>
          )}
        </div>
        {opened !== undefined && <CanvasPopovers key={opened.key} opened={opened} close={close} />}
      </NearContext>
    </CanvasProvider>
  )
}

/** React Flow as the canvas looks and pans; nodes and wires, and what is done with them, are the caller's. */
function FlowGraph(props: ReactFlowProps): ReactNode {
  return (
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
  )
}

/** What is open over the canvas; each that is opened is another. */
function useOpenedPopover(): {
  readonly opened: (OpenedPopover & { readonly key: number }) | undefined
  readonly open: (popover: OpenedPopover) => void
  readonly close: () => void
} {
  const [opened, setOpened] = useState<OpenedPopover & { readonly key: number }>()
  const keys = useRef(0)
  const open = useCallback((popover: OpenedPopover) => {
    keys.current += 1
    setOpened({ ...popover, key: keys.current })
  }, [])
  // One that is opened meanwhile stays.
  const close = (): void => setOpened(now => (now === opened ? undefined : now))
  return { opened, open, close }
}

/** What nodes and ports ask for, opened beside them. */
function useCanvasActions(
  open: (popover: OpenedPopover) => void,
  pressPort: CanvasActions['pressPort'],
): CanvasActions {
  const openStep = useCallback(
    (id: string, beside: Element) => {
      open({ kind: 'step', id, anchor: () => beside.getBoundingClientRect() })
    },
    [open],
  )
  return useMemo(
    () => ({
      openStep,
      openValue: (to: PortRef, beside: Element) =>
        open({ kind: 'value', to, anchor: () => beside.getBoundingClientRect() }),
      pressPort,
    }),
    [open, openStep, pressPort],
  )
}

/** What can be added, in the upper middle of the canvas; it joins the wire that is carried. */
function addOnCanvas({ left, top, width, height }: DOMRect, carried: Carried | undefined): OpenedPopover {
  const x = left + width / 2
  const y = top + height / 4
  const join =
    carried === undefined ? undefined : carried.side === 'out' ? { from: carried.from } : { to: carried.from }
  return { kind: 'add', join, at: undefined, anchor: () => ({ left: x, right: x, top: y, bottom: y }) }
}

/** What to do first. */
function EmptyHint(): ReactNode {
  const isEmpty = useFlowState(({ flow }) => Object.keys(flow.steps).length === 0)
  if (!isEmpty) return null
  return (
    <p className="empty-hint">
      <b>Nothing here yet</b>
      <span>
        Drag a capability here from the left, or press <kbd>A</kbd>.
      </span>
    </p>
  )
}
