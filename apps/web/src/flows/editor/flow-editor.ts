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
  /** A value is to be typed for the port. */
  readonly isTyped?: boolean
}

/** `centre`: the step is moved to the middle; `show`: it is brought into view where it is outside. */
export type PointedHow = 'centre' | 'show'

/** All that belongs to one flow that is being changed, whatever shows it. */
export interface FlowEditor {
  readonly store: FlowStore
  readonly catalog: CapabilityCatalog
  readonly live: LiveView
  readonly ask: Ask
  /** Values at the ports, of a dry run or of a past run; undefined: none are shown. */
  readonly values: Signal<ShownValues | undefined>
  /** Leads the reader to a step: it is selected, in the middle or at least in view, and has the focus. */
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

/** The view of a flow that is being changed: computed again when it is read after a change that it depends on. */
interface LiveView {
  read(): FlowView
  /** Calls back whenever it may be another; returns what ends it. */
  subscribe(tell: () => void): () => void
  /** Sets the payer's balance, in decimal USDC. */
  setBalance(balance: string | undefined): void
}

/** Follows a store and a catalog. Steps that are moved change nothing of the view. */
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

/** Whether two flows differ in their name, and in where their steps are drawn, at most. */
function isMovedOnly(one: Flow, other: Flow): boolean {
  return (
    one.steps === other.steps &&
    one.wires === other.wires &&
    one.inputs === other.inputs &&
    one.outputs === other.outputs
  )
}

/** One value that others follow. */
interface Signal<T> {
  read(): T
  set(value: T): void
  /** Calls back after each change; returns what ends it. */
  subscribe(tell: () => void): () => void
}

/** Makes a signal with a first value. */
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
