import type { Flow } from '@farebox/flows/document/flow'
import type { Ask } from '../../site/ask.ts'
import { createCapabilityCatalog, type CapabilityCatalog } from '../document/capability-catalog.ts'
import { createFlowStore, type FlowStore } from '../document/flow-store.ts'
import { createLiveView, type LiveView } from './live-view.ts'
import { createSignal, type Signal } from '../document/signal.ts'
import type { ShownValues } from '../document/shown-values.ts'

/** What somebody is to be led to: a step, or one of its ports. */
export interface Pointed {
  readonly step: string
  readonly port?: string | undefined
  /** A value is to be typed for the port. */
  readonly isTyped?: boolean
}

/** Whether what is pointed to is brought to the middle, or into view where it is not. */
export type PointedHow = 'centre' | 'show'

/** All that belongs to one flow that is being changed, whatever shows it. */
export interface FlowEditor {
  readonly store: FlowStore
  readonly catalog: CapabilityCatalog
  readonly live: LiveView
  readonly ask: Ask
  /** Values at the ports, of a dry run or of a past run; undefined: none are shown. */
  readonly values: Signal<ShownValues | undefined>
  /** Leads whoever looks to a step: it is chosen, in the middle or at least in view, and has the focus. */
  point(to: Pointed, how?: PointedHow): void
  /** Brings all of the flow into view, where it is drawn. */
  fit(): void
  onFit(tell: () => void): () => void
  /** Calls back whenever somebody is to be led somewhere; returns what ends it. */
  onPoint(tell: (to: Pointed, how: PointedHow) => void): () => void
}

/** Opens an editor for a flow. */
export function createFlowEditor(flow: Flow, ask: Ask): FlowEditor {
  const store = createFlowStore(flow)
  const catalog = createCapabilityCatalog(ask)
  const fitters = new Set<() => void>()
  const pointers = new Set<(to: Pointed, how: PointedHow) => void>()
  return {
    store,
    catalog,
    live: createLiveView(store, catalog),
    ask,
    values: createSignal<ShownValues | undefined>(undefined),
    point(to, how = 'centre') {
      store.select([to.step])
      for (const tell of pointers) tell(to, how)
    },
    fit() {
      for (const tell of fitters) tell()
    },
    onFit(tell) {
      fitters.add(tell)
      return () => fitters.delete(tell)
    },
    onPoint(tell) {
      pointers.add(tell)
      return () => pointers.delete(tell)
    },
  }
}
