import type { Flow } from '@farebox/flows/document/flow'
import { applyEdits } from '@farebox/flows/edit/apply-edit'
import type { Edit } from '@farebox/flows/internal/edit/edit'
import { keyOfInput } from '../view/key-of-input.ts'

/** The state of a flow in the editor: the document, the selection, and whether an edit can be undone or redone. */
export interface FlowState {
  readonly flow: Flow
  /** Ids of steps, `input` and `output`; for wires, the {@link keyOfInput} of the input that they lead to. */
  readonly selection: ReadonlySet<string>
  readonly canUndo: boolean
  readonly canRedo: boolean
}

/** Holds a flow while it is edited. States are immutable, so a caller can keep an earlier one. */
export interface FlowStore {
  state(): FlowState
  /** Calls back after each change; returns a function that unsubscribes. */
  subscribe(tell: () => void): () => void
  /** Applies several edits that are undone together. Edits that change nothing are not recorded. */
  edit(edits: readonly Edit[], options?: EditOptions): void
  /** Replaces the document by another one as an edit, for example after an import. */
  replace(flow: Flow): void
  /** Opens another document and clears the undo history. */
  open(flow: Flow): void
  select(ids: Iterable<string>): void
  undo(): void
  redo(): void
}

/** Options of an edit. */
export interface EditOptions {
  /** Consecutive edits with the same `join` are undone together, such as the letters of one text. */
  readonly join?: string
  /** The selection after the edit. */
  readonly select?: Iterable<string>
}

/** The most edits that can be undone. */
const MOST_UNDONE = 200

interface Moment {
  readonly flow: Flow
  readonly selection: ReadonlySet<string>
}

/** Creates a store that holds this flow. */
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

/** The part of a selection that still exists in the flow. */
function keepThere(selection: ReadonlySet<string>, flow: Flow): ReadonlySet<string> {
  const wires = new Set(flow.wires.map(({ to }) => keyOfInput(to)))
  const kept = [...selection].filter(
    id => id === 'input' || id === 'output' || Object.hasOwn(flow.steps, id) || wires.has(id),
  )
  return kept.length === selection.size ? selection : new Set(kept)
}
