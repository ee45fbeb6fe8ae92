import type { Flow } from '@farebox/flows/document/flow'
import type { SavedFlow } from '@farebox/platform-api/flows/saved-flows'
import type { JsonObject } from '@farebox/protocol/fields/field'
import { createDraft, type Draft } from '../../kept/draft.ts'
import { ApiFailure } from '../../site/ask.ts'
import type { FlowStore } from './flow-store.ts'
import { asCopy } from './name-by-steps.ts'

/** The store of drafts. */
export interface DraftKeeper {
  /** Replaces the draft whose `changed_at` is `before`. Resolves to the draft that is stored afterwards. */
  keep(draft: Draft, before: number | undefined): Promise<Draft>
}

/** The store of flows for a signed-in reader. Both methods reject with an `ApiFailure`. */
export interface FlowSaver {
  create(flow: Flow): Promise<SavedFlow>
  /** Rejects with 409 if another revision was saved since. */
  update(flowId: string, flow: Flow, revision: number): Promise<SavedFlow>
  read(flowId: string): Promise<SavedFlow>
}

/** Where the changes of a flow are saved. */
export type SaveStatus =
  /** Nothing has been changed yet. */
  | { readonly is: 'fresh' }
  /** Stored in this browser at that time. `behind`: why the platform does not have the changes. */
  | { readonly is: 'kept'; readonly at: number; readonly behind?: 'signed-out' | 'no-answer' }
  /** Saved on the platform. */
  | { readonly is: 'saved'; readonly at: number }
  /** Another version was saved on the platform meanwhile. Both are kept until the reader has chosen. */
  | { readonly is: 'conflict'; readonly at: number; readonly theirs: SavedFlow }
  /** This browser cannot store the flow. */
  | { readonly is: 'lost' }

/** Saves a flow while it is edited: in this browser at once, and on the platform soon after. */
export interface Autosave {
  status(): SaveStatus
  draft(): Draft
  subscribe(tell: () => void): () => void
  /** Saves the current state without the usual delay, because the page is about to be left. */
  flush(): Promise<void>
  /** Stores the input of the last run or dry run. */
  setInput(input: JsonObject): void
  /**
   * Ends a conflict. `mine`: saves it over the other version. `theirs`: opens it; the own version becomes a new draft, which
   * is returned.
   */
  choose(which: 'mine' | 'theirs'): Promise<Draft | undefined>
  /** Handles a draft that another tab has stored: takes it over if nothing was changed here since. */
  takeOver(kept: Draft): void
  /** Starts to follow the flow. */
  start(): void
  /** Stops saving. */
  stop(): void
}

/** The dependencies of an autosave. */
export interface AutosaveOptions {
  readonly store: FlowStore
  /** The stored draft, or the one that the first change will store. */
  readonly draft: Draft
  readonly isKept: boolean
  /** Whether the platform has the same flow. */
  readonly isSaved: boolean
  readonly keeper: DraftKeeper
  /** Undefined when the reader is not signed in. */
  readonly saver: FlowSaver | undefined
  /** Unix seconds. */
  readonly now: () => number
  /** Runs some work after this many milliseconds; returns a function that cancels it. */
  readonly later: (ms: number, work: () => void) => () => void
  /** Called when the draft gets a new id, because another tab has changed the flow at the same time. */
  readonly onBranched: (draft: Draft) => void
}

const KEEP_AFTER_MS = 300
const SAVE_AFTER_MS = 1_500
const AGAIN_AFTER_MS = 10_000

/** The internal state of an autosave. */
interface Keeping {
  readonly options: AutosaveOptions
  draft: Draft
  /** `changed_at` of the stored draft; undefined when nothing is stored yet. */
  before: number | undefined
  saver: FlowSaver | undefined
  /** The flow as the platform has it. */
  savedFlow: Flow | undefined
  status: SaveStatus
  /** Writes are queued one after another, because each works on the result of the previous one. */
  turn: Promise<unknown>
  isStopped: boolean
  cancelKeep: () => void
  cancelSave: () => void
  readonly listeners: Set<() => void>
}

/** Creates the autosave of a flow. */
export function createAutosave(options: AutosaveOptions): Autosave {
  const { store, draft, isKept, isSaved, saver } = options
  const keeping: Keeping = {
    options,
    draft,
    before: isKept ? draft.changed_at : undefined,
    saver,
    savedFlow: isSaved ? draft.flow : undefined,
    status: { is: 'fresh' },
    turn: Promise.resolve(),
    isStopped: false,
    cancelKeep: () => undefined,
    cancelSave: () => undefined,
    listeners: new Set(),
  }
  let stopFollowing = (): unknown => undefined
  return {
    status: () => keeping.status,
    draft: () => keeping.draft,
    subscribe(tell) {
      keeping.listeners.add(tell)
      return () => keeping.listeners.delete(tell)
    },
    async flush() {
      keeping.cancelKeep()
      await inTurn(keeping, () => keepNow(keeping))
    },
    setInput(input) {
      const kept = inTurn(keeping, () => write(keeping, { flow: store.state().flow, input }))
      kept.catch(() => show(keeping, { is: 'lost' }))
    },
    choose: which => inTurn(keeping, () => choose(keeping, which)),
    takeOver: kept => takeOver(keeping, kept),
    start() {
      keeping.isStopped = false
      stopFollowing()
      stopFollowing = store.subscribe(() => keepSoon(keeping))
      if (saver !== undefined && isKept && !isSaved) saveSoon(keeping, SAVE_AFTER_MS)
    },
    stop() {
      keeping.isStopped = true
      keeping.cancelKeep()
      keeping.cancelSave()
      stopFollowing()
    },
  }
}

function show(keeping: Keeping, status: SaveStatus): void {
  keeping.status = status
  for (const tell of keeping.listeners) tell()
}

function inTurn<T>(keeping: Keeping, work: () => Promise<T>): Promise<T> {
  const mine = keeping.turn.then(work)
  keeping.turn = mine.catch(() => undefined)
  return mine
}

function keepSoon(keeping: Keeping): void {
  const { store, later } = keeping.options
  if (store.state().flow === keeping.draft.flow) return
  keeping.cancelKeep()
  keeping.cancelKeep = later(KEEP_AFTER_MS, () => void inTurn(keeping, () => keepNow(keeping)))
}

function saveSoon(keeping: Keeping, ms: number): void {
  keeping.cancelSave()
  keeping.cancelSave = keeping.options.later(ms, () => void inTurn(keeping, () => saveNow(keeping)))
}

/** Stores the draft with a change. If another tab was faster, the local changes are stored under a new id. */
async function write(keeping: Keeping, change: Partial<Draft>): Promise<void> {
  const { keeper, now, store, onBranched } = keeping.options
  const changedAt = Math.max(now(), (keeping.before ?? 0) + 0.001)
  const next: Draft = { ...keeping.draft, ...change, changed_at: changedAt }
  const kept = await keeper.keep(next, keeping.before)
  if (kept === next) keeping.draft = next
  else {
    const { saved: _, ...copy } = { ...createDraft(asCopy(next.flow), next.input), changed_at: changedAt }
    keeping.draft = copy
    keeping.savedFlow = undefined
    await keeper.keep(keeping.draft, undefined)
    store.open(keeping.draft.flow)
    onBranched(keeping.draft)
  }
  keeping.before = keeping.draft.changed_at
}

async function keepNow(keeping: Keeping): Promise<void> {
  const { flow } = keeping.options.store.state()
  if (keeping.isStopped || flow === keeping.draft.flow) return
  try {
    await write(keeping, { flow, is_ahead: true })
  } catch {
    return show(keeping, { is: 'lost' })
  }
  if (keeping.status.is === 'conflict') return
  const isSignedOut = keeping.saver === undefined
  show(keeping, {
    is: 'kept',
    at: keeping.draft.changed_at,
    ...(isSignedOut && { behind: 'signed-out' as const }),
  })
  if (!isSignedOut) saveSoon(keeping, SAVE_AFTER_MS)
}

async function saveNow(keeping: Keeping): Promise<void> {
  const { draft, saver, savedFlow, status, isStopped } = keeping
  const { flow, saved } = draft
  if (isStopped || saver === undefined || status.is === 'conflict' || flow === savedFlow) return
  try {
    const { flow_id, revision } =
      saved === undefined ? await saver.create(flow) : await saver.update(saved.flow_id, flow, saved.revision)
    keeping.savedFlow = flow
    await write(keeping, { saved: { flow_id, revision }, is_ahead: false })
    if (keeping.options.store.state().flow === flow)
      show(keeping, { is: 'saved', at: keeping.draft.changed_at })
  } catch (error) {
    await explain(keeping, error)
  }
}

/** Sets the status that explains why the platform does not have the changes. The copy in this browser stays. */
async function explain(keeping: Keeping, error: unknown): Promise<void> {
  const { draft, saver } = keeping
  const at = draft.changed_at
  const status = statusOf(error)
  if (status === 409 && saver !== undefined && draft.saved !== undefined) {
    const theirs = await saver.read(draft.saved.flow_id).catch(() => undefined)
    if (theirs !== undefined) return show(keeping, { is: 'conflict', at, theirs })
  }
  if (status === 401) keeping.saver = undefined
  show(keeping, { is: 'kept', at, behind: status === 401 ? 'signed-out' : 'no-answer' })
  if (status !== 401) saveSoon(keeping, AGAIN_AFTER_MS)
}

async function choose(keeping: Keeping, which: 'mine' | 'theirs'): Promise<Draft | undefined> {
  const { options, status, draft } = keeping
  if (status.is !== 'conflict') return undefined
  const { theirs } = status
  const saved = { flow_id: theirs.flow_id, revision: theirs.revision }
  const mine = options.store.state().flow
  keeping.status = { is: 'kept', at: draft.changed_at }
  if (which === 'mine') {
    await write(keeping, { flow: mine, saved })
    await saveNow(keeping)
    return undefined
  }
  const copy = createDraft(asCopy(mine), draft.input)
  await options.keeper.keep(copy, undefined)
  // The platform validated the flow when it was saved.
  const flow = theirs.flow as unknown as Flow
  keeping.savedFlow = flow
  options.store.open(flow)
  await write(keeping, { flow, saved, is_ahead: false })
  show(keeping, { is: 'saved', at: keeping.draft.changed_at })
  return copy
}

function takeOver(keeping: Keeping, kept: Draft): void {
  const { draft, options } = keeping
  const isOurs = kept.draft_id === draft.draft_id && kept.changed_at > draft.changed_at
  // A change made here meanwhile is stored as another draft when it is written.
  if (!isOurs || options.store.state().flow !== draft.flow) return
  const isOther = JSON.stringify(kept.flow) !== JSON.stringify(draft.flow)
  keeping.draft = isOther ? kept : { ...kept, flow: draft.flow }
  keeping.before = kept.changed_at
  if (kept.is_ahead !== true) keeping.savedFlow = keeping.draft.flow
  if (isOther) options.store.replace(kept.flow)
  show(keeping, { is: kept.is_ahead === true ? 'kept' : 'saved', at: kept.changed_at })
}

function statusOf(error: unknown): number {
  return error instanceof ApiFailure ? error.status : 0
}
