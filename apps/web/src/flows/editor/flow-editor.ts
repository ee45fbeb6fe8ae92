import type { Flow } from '@farebox/flows/document/flow'
import type { Ask } from '../../site/ask.ts'
import { createCapabilityCatalog, type CapabilityCatalog } from '../document/capability-catalog.ts'
import { createFlowStore, type FlowStore } from '../document/flow-store.ts'
import type { ShownValues } from '../document/shown-values.ts'
import { viewFlow, type FlowView } from '../view/flow-view.ts'

/** A step, or one of its ports, that the reader is led to. */
export interface Pointed {
  readonly step: string
  readonly port?: string | undefined
  /** Whether the reader is to type a value for the port. */
  readonly isTyped?: boolean
}

/** `centre`: the step moves to the middle; `show`: the view moves only if the step is outside of it. */
export type PointedHow = 'centre' | 'show'

/** The state and actions of one flow under edit, shared by all of its views. */
export interface FlowEditor {
  readonly store: FlowStore
  readonly catalog: CapabilityCatalog
  readonly live: LiveView
  readonly ask: Ask
  /** Values at the ports, of a dry run or a past run; undefined when none are shown. */
  readonly values: Signal<ShownValues | undefined>
  /** Leads the reader to a step: selects it, brings it to the middle or at least into view, and focuses it. */
  point(to: Pointed, how?: PointedHow): void
  /** Brings the whole flow into view in the view that draws it. */
  fit(): void
  onFit(tell: () => void): () => void
  /** Calls back to show a step to the reader; returns a function that unsubscribes. */
  onPoint(tell: (to: Pointed, how: PointedHow) => void): () => void
}

/** Creates an editor for a flow. */
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

/** The view of a flow under edit. It is computed when it is read after a change that affects it. */
interface LiveView {
  read(): FlowView
  /** Calls back whenever the view may have changed; returns a function that unsubscribes. */
  subscribe(tell: () => void): () => void
  /** Sets the payer's balance, in decimal USDC. */
  setBalance(balance: string | undefined): void
}

/** Derives the view from a store and a catalog. Moving steps does not change the view. */
function createLiveView(store: FlowStore, catalog: CapabilityCatalog): LiveView {
  let balance: string | undefined
  let made:
    | { readonly view: FlowView; readonly of: Flow; readonly edition: number; readonly balance: unknown }
    | undefined
  const listeners = new Set<() => void>()
  const tell = (): void => {
    for (const listener of listeners) listener()
  }
  store.subscribe(tell)
  catalog.subscribe(tell)
  return {
    read() {
      const { flow } = store.state()
      const edition = catalog.edition()
      const isSame =
        made !== undefined &&
        isMovedOnly(made.of, flow) &&
        made.edition === edition &&
        made.balance === balance
      if (made === undefined || !isSame)
        made = { view: viewFlow(flow, { catalog, balance }, made?.view), of: flow, edition, balance }
      return made.view
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    setBalance(known) {
      if (known === balance) return
      balance = known
      tell()
    },
  }
}

/** Whether two flows differ only in their names and in the positions of their steps, if at all. */
function isMovedOnly(one: Flow, other: Flow): boolean {
  return (
    one.steps === other.steps &&
    one.wires === other.wires &&
    one.inputs === other.inputs &&
    one.outputs === other.outputs
  )
}

/** An observable value. */
interface Signal<T> {
  read(): T
  set(value: T): void
  /** Calls back after each change; returns a function that unsubscribes. */
  subscribe(tell: () => void): () => void
}

/** Creates a signal with an initial value. */
function createSignal<T>(first: T): Signal<T> {
  let value = first
  const listeners = new Set<() => void>()
  return {
    read: () => value,
    set(next) {
      value = next
      for (const tell of listeners) tell()
    },
    subscribe(tell) {
      listeners.add(tell)
      return () => listeners.delete(tell)
    },
  }
}
