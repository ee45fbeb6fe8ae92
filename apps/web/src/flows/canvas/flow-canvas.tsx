import {
  applyNodeChanges,
  Background,
  ReactFlow,
  ReactFlowProvider,
  SelectionMode,
  useReactFlow,
  useStore,
  type Edge,
  type EdgeChange,
  type Node,
  type NodeChange,
} from '@xyflow/react'
import {
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  type ReactNode,
  type RefObject,
} from 'react'
import type { PortRef, Step } from '@farebox/flows/document/flow'
import { keepPlaces } from '../editor/edit-actions.ts'
import { placeNodes } from '../view/places.ts'
import { useEditor, useFlowState, useFlowView } from '../editor/use-editor.ts'
import { AfterLine } from './wires/after-line.tsx'
import { CanvasProvider, NearContext } from './canvas-context.ts'
import { CanvasPopovers, type OpenedPopover } from './canvas-popovers.tsx'
import { edgeOfCarried, edgesOf, nodesOf } from './elements.ts'
import { useFirstFit } from './fit.ts'
import { FlowMap } from './flow-map.tsx'
import { Hud } from './hud.tsx'
import { findNode } from './wires/mark-fits.ts'
import { StepNode } from './step-node.tsx'
import { useCanvasKeys } from './use-canvas-keys.ts'
import { useCarry } from './wires/use-carry.ts'
import { useClipboard } from './use-clipboard.ts'
import { useDroppedStep } from './use-dropped-step.ts'
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
/** From here on halos and tags are drawn. */
const NEAR = 0.6
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
  const [opened, setOpened] = useState<OpenedPopover & { readonly key: number }>()
  const keys = useRef(0)
  const open = useCallback((popover: OpenedPopover) => {
    keys.current += 1
    setOpened({ ...popover, key: keys.current })
  }, [])
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
  const openStep = useCallback(
    (id: string, beside: Element) => {
      open({ kind: 'step', id, anchor: () => beside.getBoundingClientRect() })
    },
    [open],
  )
  const actions = useMemo(
    () => ({
      openStep,
      openValue: (to: PortRef, beside: Element) =>
        open({ kind: 'value', to, anchor: () => beside.getBoundingClientRect() }),
      pressPort: carry.press,
    }),
    [open, openStep, carry.press],
  )
  useTypedValue(canvas, actions.openValue)
  const add = (): void => {
    const { carried } = carry
    carry.letGo()
    const at = canvas.current?.getBoundingClientRect()
    if (at === undefined) return
    const x = at.left + at.width / 2
    const y = at.top + at.height / 4
    const join =
      carried === undefined
        ? undefined
        : carried.side === 'out'
          ? { from: carried.from }
          : { to: carried.from }
    open({ kind: 'add', join, at: undefined, anchor: () => ({ left: x, right: x, top: y, bottom: y }) })
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
          <ReactFlow
            nodes={nodes}
            edges={shownEdges}
            nodeTypes={NODE_TYPES}
            edgeTypes={EDGE_TYPES}
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
        {opened !== undefined && (
          <CanvasPopovers
            key={opened.key}
            opened={opened}
            // One that is opened meanwhile stays.
            close={() => setOpened(now => (now === opened ? undefined : now))}
          />
        )}
      </NearContext>
    </CanvasProvider>
  )
}

/** Opens the value of an input for which one is to be typed, once the canvas has moved there. */
function useTypedValue(
  canvas: RefObject<HTMLDivElement | null>,
  openValue: (to: PortRef, beside: Element) => void,
): void {
  const editor = useEditor()
  useEffect(
    () =>
      editor.onPoint(({ step, port, isTyped = false }) => {
        if (!isTyped || port === undefined) return
        setTimeout(() => {
          const node = canvas.current === null ? undefined : findNode(canvas.current, step)
          const beside = node?.querySelector(`[data-port="${CSS.escape(port)}"]`) ?? node
          if (beside !== undefined) openValue({ step, port }, beside)
        }, calm(200))
      }),
    [editor, canvas, openValue],
  )
}

/** The nodes and wires of the flow for React Flow, and what it says of them put back into the flow. */
function useElements() {
  const editor = useEditor()
  const view = useFlowView(one => one)
  const flow = useFlowState(state => state.flow)
  const selection = useFlowState(state => state.selection)
  const [nodes, setNodes] = useState<Node[]>(() => nodesOf(view, placeNodes(flow, view), selection, []))
  const [edges, setEdges] = useState<Edge[]>(() => edgesOf(view, selection, []))
  useLayoutEffect(() => {
    setNodes(before => nodesOf(view, placeNodes(flow, view), selection, before))
    setEdges(before => edgesOf(view, selection, before))
  }, [view, flow, selection])
  const choose = useCallback(
    (changes: readonly (NodeChange | EdgeChange)[]) => {
      const chosen = new Set(editor.store.state().selection)
      let isOther = false
      for (const change of changes) {
        if (change.type !== 'select' || chosen.has(change.id) === change.selected) continue
        isOther = true
        if (change.selected) chosen.add(change.id)
        else chosen.delete(change.id)
      }
      if (isOther) editor.store.select(chosen)
    },
    [editor],
  )
  const onNodesChange = useCallback(
    (changes: NodeChange[]) => {
      const others = changes.filter(({ type }) => type !== 'select' && type !== 'remove')
      if (others.length > 0) setNodes(before => applyNodeChanges(others, before))
      choose(changes)
    },
    [choose],
  )
  const onEdgesChange = useCallback((changes: EdgeChange[]) => choose(changes), [choose])
  const onDragStop = useCallback(
    (_: unknown, __: Node | Node[], moved: Node[] = []) => {
      const all = moved.length > 0 ? moved : Array.isArray(__) ? __ : [__]
      editor.store.edit([
        ...keepPlaces(editor),
        ...all.map(({ id, position: { x, y } }) => ({
          edit: 'move-step' as const,
          id,
          at: { x: Math.round(x), y: Math.round(y) },
        })),
      ])
    },
    [editor],
  )
  return { nodes, edges, onNodesChange, onEdgesChange, onDragStop }
}

/** Marks the canvas while something on it is dragged. */
function useDragging(
  canvas: RefObject<HTMLElement | null>,
  stopped: (_: unknown, node: Node | Node[], moved?: Node[]) => void,
) {
  return useMemo(
    () => ({
      start: () => canvas.current?.setAttribute('data-dragging', ''),
      stop(event: unknown, node: Node | Node[], moved?: Node[]) {
        canvas.current?.removeAttribute('data-dragging')
        stopped(event, node, moved)
      },
    }),
    [canvas, stopped],
  )
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

/** Brings a node into view where it is outside, and follows whoever points to one. */
function useShow(canvas: { readonly current: HTMLElement | null }): (id: string) => void {
  const editor = useEditor()
  const { getInternalNode, setCenter, getZoom } = useReactFlow()
  const show = useCallback(
    (id: string) => {
      const node = getInternalNode(id)
      const element = canvas.current === null ? undefined : findNode(canvas.current, id)
      if (node === undefined || element === undefined || canvas.current === null) return
      const [one, all] = [element.getBoundingClientRect(), canvas.current.getBoundingClientRect()]
      const isSeen =
        one.left >= all.left && one.right <= all.right && one.top >= all.top && one.bottom <= all.bottom
      if (isSeen) return
      const { width = 0, height = 0 } = node.measured
      const { x, y } = node.internals.positionAbsolute
      void setCenter(x + width / 2, y + height / 2, { zoom: Math.max(getZoom(), NEAR) })
    },
    [canvas, getInternalNode, setCenter, getZoom],
  )
  useEffect(
    () =>
      editor.onPoint(({ step, port }, how) => {
        const element = canvas.current === null ? undefined : findNode(canvas.current, step)
        const inside =
          port === undefined
            ? undefined
            : element?.querySelector<HTMLElement>(`[data-port="${CSS.escape(port)}"]`)
        ;(inside ?? element)?.focus({ preventScroll: true })
        if (how === 'show') return show(step)
        const node = getInternalNode(step)
        if (node === undefined) return
        const { width = 0, height = 0 } = node.measured
        const { x, y } = node.internals.positionAbsolute
        const zoom = Math.max(getZoom(), NEAR)
        void setCenter(x + width / 2, y + height / 2, { zoom, duration: calm(180) })
      }),
    [editor, canvas, show, getInternalNode, setCenter, getZoom],
  )
  return show
}

/** How long a motion takes: none where somebody wants none. */
function calm(ms: number): number {
  return matchMedia('(prefers-reduced-motion: reduce)').matches ? 0 : ms
}
