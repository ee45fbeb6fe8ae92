import { createContext, useContext, useSyncExternalStore } from 'react'
import type { FlowEditor } from './flow-editor.ts'
import type { FlowState } from '../document/flow-store.ts'
import type { FlowView } from '../view/flow-view.ts'
import type { NodeView } from '../view/views.ts'
import type { ShownStep, ShownValues } from '../document/shown-values.ts'

const EditorContext = createContext<FlowEditor | undefined>(undefined)

/** Hands an editor down to everything inside. */
export const EditorProvider = EditorContext.Provider

/** The editor of the flow that is shown. */
export function useEditor(): FlowEditor {
  const editor = useContext(EditorContext)
  if (editor === undefined) throw new Error('useEditor outside of EditorProvider')
  return editor
}

/** Something of the state of the document; drawn again only when that is another. */
export function useFlowState<T>(choose: (state: FlowState) => T): T {
  const { store } = useEditor()
  const read = (): T => choose(store.state())
  return useSyncExternalStore(store.subscribe, read, read)
}

/** Something of the view; drawn again only when that is another. */
export function useFlowView<T>(choose: (view: FlowView) => T): T {
  const { live } = useEditor()
  const read = (): T => choose(live.read())
  return useSyncExternalStore(live.subscribe, read, read)
}

/** One node of the view; undefined once it is gone. */
export function useNodeView(id: string): NodeView | undefined {
  return useFlowView(({ nodes }) => nodes.get(id))
}

/** The values that are shown at the ports. */
export function useShownValues(): ShownValues | undefined {
  const { values } = useEditor()
  return useSyncExternalStore(values.subscribe, values.read, values.read)
}

/** The values that are shown at one step. */
export function useShownStep(id: string): ShownStep | undefined {
  const { values } = useEditor()
  const read = (): ShownStep | undefined => values.read()?.steps.get(id)
  return useSyncExternalStore(values.subscribe, read, read)
}
