import { createContext, useContext, useSyncExternalStore } from 'react'
import type { FlowEditor } from './flow-editor.ts'
import type { FlowState } from '../document/flow-store.ts'
import type { FlowView } from '../view/flow-view.ts'
import type { NodeView } from '../view/views.ts'
import type { ShownStep, ShownValues } from '../document/shown-values.ts'

const EditorContext = createContext<FlowEditor | undefined>(undefined)

/** Provides an editor to its descendants. */
export const EditorProvider = EditorContext.Provider

/** The editor of the shown flow. */
export function useEditor(): FlowEditor {
  const editor = useContext(EditorContext)
  if (editor === undefined) throw new Error('useEditor outside of EditorProvider')
  return editor
}

/** A part of the document state; the component renders again only when that part has changed. */
export function useFlowState<T>(choose: (state: FlowState) => T): T {
  const { store } = useEditor()
  const read = (): T => choose(store.state())
  return useSyncExternalStore(store.subscribe, read, read)
}

/** A part of the view; the component renders again only when that part has changed. */
export function useFlowView<T>(choose: (view: FlowView) => T): T {
  const { live } = useEditor()
  const read = (): T => choose(live.read())
  return useSyncExternalStore(live.subscribe, read, read)
}

/** One node of the view; undefined once the node is removed. */
export function useNodeView(id: string): NodeView | undefined {
  return useFlowView(({ nodes }) => nodes.get(id))
}

/** The values shown at the ports. */
export function useShownValues(): ShownValues | undefined {
  const { values } = useEditor()
  return useSyncExternalStore(values.subscribe, values.read, values.read)
}

/** The values shown at one step. */
export function useShownStep(id: string): ShownStep | undefined {
  const { values } = useEditor()
  const read = (): ShownStep | undefined => values.read()?.steps.get(id)
  return useSyncExternalStore(values.subscribe, read, read)
}
