import type { Flow } from '@farebox/flows/document/flow'
import { applyEdits } from '@farebox/flows/edit/apply-edit'
import type { Edit } from '@farebox/flows/internal/edit/edit'
import { keyOfInput } from '../view/key-of-input.ts'

/** A flow that is being changed: the document, what is chosen of it, and whether there is a way back and forth. */
export interface FlowState {
  readonly flow: Flow
  /** Ids of steps, `input` and `output`; wires by {@link keyOfInput} of what they lead to. */
  readonly selection: ReadonlySet<string>
  readonly canUndo: boolean
  readonly canRedo: boolean
}

/** Holds a flow while it is changed. What it holds is never changed in place: who kept a state has it still. */
export interface FlowStore {
  state(): FlowState
  /** Calls back after each change; returns what ends it. */
  subscribe(tell: () => void): () => void
  /** Does several edits as one that is undone at once. One that changes nothing is none. */
  edit(edits: readonly Edit[], options?: EditOptions): void
  /** Puts another document in its place, as an edit: what is imported, or what was kept of it. */
  replace(flow: Flow): void
  /** Opens another document: there is nothing to undo. */
  open(flow: Flow): void
  select(ids: Iterable<string>): void
  undo(): void
  redo(): void
}

/** How an edit is done. */
export interface EditOptions {
  /** Edits with the same word, one right after the other, are undone together: letters of one text. */
  readonly join?: string
  /** Selects these after the edit. */
  readonly select?: Iterable<string>
}

/** So many edits can be undone. */
const MOST_UNDONE = 200

interface Moment {
  readonly flow: Flow
  readonly selection: ReadonlySet<string>
}

/** Opens a store with a flow in it. */
export function createFlowStore(opened: Flow): FlowStore {
  let before: readonly Moment[] = []
  let after: readonly Moment[] = []
  let joined: string | undefined
  let now: FlowState = { flow: opened, selection: new Set(), canUndo: false, canRedo: false }
  const listeners = new Set<() => void>()

  const show = (moment: Moment): void => {
    now = { ...moment, canUndo: before.length > 0, canRedo: after.length > 0 }
    for (const tell of listeners) tell()
  }
  const change = (flow: Flow, { join, select }: EditOptions): void => {
    const selection = select === undefined ? keepThere(now.selection, flow) : new Set(select)
    if (flow !== now.flow) {
      const isJoined = join !== undefined && join === joined && before.length > 0
      if (!isJoined) before = [...before, { flow: now.flow, selection: now.selection }].slice(-MOST_UNDONE)
      after = []
      joined = join
    }
    show({ flow, selection })
  }
  const travel = (from: readonly Moment[]): Moment | undefined => {
    joined = undefined
    return from.at(-1)
  }
  return {
    state: () => now,
    subscribe(tell) {
      listeners.add(tell)
      return () => listeners.delete(tell)
    },
    edit: (edits, options = {}) => change(applyEdits(now.flow, edits), options),
    replace: flow => change(flow, { select: [] }),
    open(flow) {
      ;[before, after, joined] = [[], [], undefined]
      show({ flow, selection: new Set() })
    },
    select(ids) {
      joined = undefined
      show({ flow: now.flow, selection: new Set(ids) })
    },
    undo() {
      const moment = travel(before)
      if (moment === undefined) return
      before = before.slice(0, -1)
      after = [...after, { flow: now.flow, selection: now.selection }]
      show(moment)
    },
    redo() {
      const moment = travel(after)
      if (moment === undefined) return
      after = after.slice(0, -1)
      before = [...before, { flow: now.flow, selection: now.selection }]
      show(moment)
    },
  }
}

/** The part of a selection that is still in the flow. */
function keepThere(selection: ReadonlySet<string>, flow: Flow): ReadonlySet<string> {
  const wires = new Set(flow.wires.map(({ to }) => keyOfInput(to)))
  const kept = [...selection].filter(
    id => id === 'input' || id === 'output' || Object.hasOwn(flow.steps, id) || wires.has(id),
  )
  return kept.length === selection.size ? selection : new Set(kept)
}
