import type { Flow } from '@farebox/flows/document/flow'
import type { CapabilityCatalog } from '../document/capability-catalog.ts'
import type { FlowStore } from '../document/flow-store.ts'
import { viewFlow, type FlowView } from '../view/flow-view.ts'

/** The view of a flow that is being changed: made anew when it is asked for after a change that it depends on. */
export interface LiveView {
  read(): FlowView
  /** Calls back whenever it may be another; returns what ends it. */
  subscribe(tell: () => void): () => void
  /** What the payer has, in decimal USDC. */
  setBalance(balance: string | undefined): void
}

/** Follows a store and a catalog. Steps that are moved change nothing of the view. */
export function createLiveView(store: FlowStore, catalog: CapabilityCatalog): LiveView {
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
