import type { SavedFlow } from '@farebox/platform-api/flows/saved-flows'
import { useEffect, useState } from 'react'
import type { Draft } from '../../kept/draft.ts'
import { leaveBehind } from '../../kept/left-behind.ts'
import { answers } from '../../site/answers.ts'
import { useNavigation } from '../../site/navigation.ts'
import { useRead } from '../../site/question.ts'
import { useSite } from '../../site/site.ts'
import { createAutosave, type Autosave, type DraftKeeper, type FlowSaver } from '../document/autosave.ts'
import { keepWhenLeft } from '../document/keep-when-left.ts'
import { createFlowEditor, type FlowEditor } from '../editor/flow-editor.ts'

/** An editor, with the autosave of its flow. */
export interface OpenedFlow {
  readonly editor: FlowEditor
  readonly autosave: Autosave
}

/** A draft to open, and where else the flow is saved. */
export interface FlowToOpen {
  readonly draft: Draft
  /** Whether this browser already stores the draft. */
  readonly isKept: boolean
  readonly isSignedIn: boolean
  /** The flow as the platform has it; undefined when the platform does not have it or cannot be asked. */
  readonly saved: SavedFlow | undefined
}

/** Opens a flow once, and saves its changes while the page is open. */
export function useFlowEditor(opened: FlowToOpen): OpenedFlow {
  const { ask } = useSite()
  const { replace } = useNavigation()
  const [flow] = useState(() => {
    const editor = createFlowEditor(opened.draft.flow, ask)
    const autosave = createAutosave({
      store: editor.store,
      draft: opened.draft,
      isKept: opened.isKept,
      isSaved: isSame(opened),
      keeper: browserKeeper,
      saver: opened.isSignedIn ? saverOf(ask) : undefined,
      now: () => Date.now() / 1_000,
      later(ms, work) {
        const timer = setTimeout(work, ms)
        return () => clearTimeout(timer)
      },
      onBranched: ({ draft_id: id }) => replace(`/flows/${id}${location.search}`),
    })
    return { editor, autosave }
  })
  useEffect(() => {
    const { autosave } = flow
    autosave.start()
    let stop = (): void => undefined
    let isGone = false
    const follow = async (): Promise<void> => {
      const { readDraft, watchDrafts } = await import('../../kept/draft-store.ts')
      if (isGone) return
      stop = watchDrafts(id => {
        if (id !== autosave.draft().draft_id) return
        void readDraft(id).then(kept => kept !== undefined && autosave.takeOver(kept))
      })
    }
    void follow()
    const stopLeaving = keepWhenLeft(flow.editor.store, autosave, {
      window,
      document,
      leave: leaveBehind,
      now: () => Date.now() / 1_000,
    })
    return () => {
      isGone = true
      stop()
      stopLeaving()
      void autosave.flush().then(() => autosave.stop())
    }
  }, [flow])
  return flow
}

/** Milliseconds between requests for the current terms of the flow's agents, while the page is visible. */
const FRESH_MS = 60_000

/** Compares the flow with the current terms of its agents. Undefined when they could be loaded. */
export function useFreshCatalog({ store, catalog }: FlowEditor): { readonly again: () => void } | undefined {
  const { failure, again } = useRead(
    'catalog',
    async () => {
      await catalog.refresh(store.state().flow)
      return true
    },
    { everyMs: FRESH_MS },
  )
  return failure === undefined ? undefined : { again: () => void again() }
}

const browserKeeper: DraftKeeper = {
  async keep(draft, before) {
    const { keepDraftOver } = await import('../../kept/draft-store.ts')
    return await keepDraftOver(draft, before)
  },
}

function saverOf(ask: FlowEditor['ask']): FlowSaver {
  return {
    create: flow => ask('/v1/flows', answers.savedFlow, { method: 'POST', body: { flow } }),
    update: (flowId, flow, revision) =>
      ask(`/v1/flows/${flowId}`, answers.savedFlow, { method: 'PUT', body: { flow, revision } }),
    read: flowId => ask(`/v1/flows/${flowId}`, answers.savedFlow),
  }
}

function isSame({ draft, saved }: FlowToOpen): boolean {
  return (
    saved !== undefined &&
    draft.saved?.revision === saved.revision &&
    JSON.stringify(draft.flow) === JSON.stringify(saved.flow)
  )
}
