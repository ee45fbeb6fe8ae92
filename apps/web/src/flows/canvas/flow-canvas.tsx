import { ReactFlowProvider, useStore } from '@xyflow/react'
import { useMemo, useRef, type ReactNode } from 'react'
import type { Step } from '@farebox/flows/document/flow'
import { useFlowState } from '../editor/use-editor.ts'
import { CanvasProvider, NearContext, useCanvasActions } from './canvas-context.ts'
import { CanvasPopovers, useOpenedPopover, type OpenedPopover } from './canvas-popovers.tsx'
import { edgeOfCarried } from './elements.ts'
import { useFirstFit } from './fit.ts'
import { FlowGraph } from './flow-graph.tsx'
import { findNode } from './wires/mark-fits.ts'
import { useCanvasKeys } from './use-canvas-keys.ts'
import { useCarry, type Carried } from './wires/use-carry.ts'
import { useClipboard } from './use-clipboard.ts'
import { useDrop } from './use-drop.ts'
import { useElements } from './use-elements.ts'
import { NEAR, useShow, useTypedValue } from './use-show.ts'
import { useMouseWires } from './wires/use-mouse-wires.ts'

/** The parts of the page that the canvas uses. */
export interface CanvasProps {
  readonly toOutline: () => void
  readonly toPrice: () => void
  /** Returns the step that is being dragged from the library. */
  readonly dragged: () => Step | undefined
}

/** The canvas: steps as nodes, and wires between their ports. */
export function FlowCanvas(props: CanvasProps): ReactNode {
  return (
    <ReactFlowProvider>
      <Canvas {...props} />
    </ReactFlowProvider>
  )
}

/** Below this zoom, the texts of a node are not readable. */
const FAR = 0.3

function Canvas({ toOutline, toPrice, dragged }: CanvasProps): ReactNode {
  const canvas = useRef<HTMLDivElement>(null)
  const { opened, open, close } = useOpenedPopover()
  const carry = useCarry(canvas, useShow(canvas))
  const isNear = useStore(({ transform }) => transform[2] >= NEAR)
  const isFar = useStore(({ transform }) => transform[2] < FAR)
  const { events, duplicate, addFile, problem } = useClipboard()
  const drop = useDrop(dragged, addFile)
  const actions = useCanvasActions(open, carry.press)
  const { openStep } = actions
  useFirstFit()
  useTypedValue(canvas, actions.openValue)
  const add = (): void => {
    carry.letGo()
    const at = canvas.current?.getBoundingClientRect()
    if (at !== undefined) open(addOnCanvas(at, carry.carried))
  }
  const press = useCanvasKeys(canvas, carry, { add, openStep, duplicate, toOutline, toPrice })
  return (
    <CanvasProvider value={actions}>
      <NearContext value={isNear}>
        {/* Everything on the canvas can be reached by Tab, and has a role and a name of its own. */}
        {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions */}
        <div
          ref={canvas}
          className="canvas"
          data-far={isFar ? '' : undefined}
          role="region"
          aria-label="Canvas"
          tabIndex={-1}
          onKeyDown={press}
          {...events}
          {...drop}
        >
          <Graph canvas={canvas} carried={carry.carried} open={open} openStep={openStep} />
          <EmptyHint />
          <p className="unseen" role="status">
            {carry.words}
          </p>
          {problem !== undefined && (
            <p className="not-pasted small" role="alert">
              <bdi>{problem}</bdi>
            </p>
          )}
        </div>
        {opened !== undefined && <CanvasPopovers key={opened.key} opened={opened} close={close} />}
      </NearContext>
    </CanvasProvider>
  )
}

/** The steps and wires of the flow, including the wire that is being carried. */
function Graph(props: {
  readonly canvas: { readonly current: HTMLDivElement | null }
  readonly carried: Carried | undefined
  readonly open: (popover: OpenedPopover) => void
  readonly openStep: (id: string, beside: Element) => void
}): ReactNode {
  const { canvas, carried, open, openStep } = props
  const elements = useElements(canvas)
  const edges = useMemo(() => [...elements.edges, ...edgeOfCarried(carried)], [elements.edges, carried])
  const mouse = useMouseWires(canvas, open)
  return (
    <FlowGraph
      {...elements}
      edges={edges}
      onNodeDoubleClick={({ target }, { id }) => {
        const node = canvas.current === null ? undefined : findNode(canvas.current, id)
        if (node !== undefined && !(target instanceof HTMLSelectElement)) openStep(id, node)
      }}
      {...mouse}
    />
  )
}

/** The picker in the upper middle of the canvas. A step chosen in it joins the wire that is being carried. */
function addOnCanvas({ left, top, width, height }: DOMRect, carried: Carried | undefined): OpenedPopover {
  const x = left + width / 2
  const y = top + height / 4
  const join =
    carried === undefined ? undefined : carried.side === 'out' ? { from: carried.from } : { to: carried.from }
  return { kind: 'add', join, at: undefined, anchor: () => ({ left: x, right: x, top: y, bottom: y }) }
}

/** The hint shown on an empty canvas. */
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
