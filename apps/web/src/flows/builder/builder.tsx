import type { Step } from '@farebox/flows/document/flow'
import type { JsonObject } from '@farebox/protocol/fields/field'
import {
  useCallback,
  useEffect,
  useRef,
  useState,
  useSyncExternalStore,
  type ComponentType,
  type ReactNode,
} from 'react'
import { FailureNote, Note } from '../../parts/note.tsx'
import { usePurse } from '../../purse/purse-context.ts'
import { ApiFailure } from '../../site/ask.ts'
import { useRead } from '../../site/question.ts'
import { useNavigation } from '../../site/navigation.ts'
import type { CanvasProps } from '../canvas/flow-canvas.tsx'
import type { Draft } from '../../kept/draft.ts'
import { addStep } from '../editor/edit-actions.ts'
import { EditorProvider, useEditor, useShownValues } from '../editor/use-editor.ts'
import { Outline } from '../outline/outline.tsx'
import { BeforeYouPay } from './before-you-pay.tsx'
import { ConflictNote } from './conflict-note.tsx'
import { Library } from './library.tsx'
import { PayBar } from './pay-bar.tsx'
import { RunsList } from './runs-list.tsx'
import { ToolBar, type BuilderView } from './tools/tool-bar.tsx'
import { UnderWay } from './under-way.tsx'
import { useFlowEditor, type FlowToOpen } from './use-flow-editor.ts'
import { useFreshCatalog } from './use-fresh-catalog.ts'
import { useValues } from './use-values.ts'

/** A phone, or a window as narrow as one. */
const NARROW = '(max-width: 760px)'

/** Where a flow is composed, checked, and run from. */
export function Builder(props: {
  readonly opened: FlowToOpen
  /** As the address names it. */
  readonly view: BuilderView | undefined
  /** A past run whose values are shown. */
  readonly runId: string | undefined
  /** It was read from a file just now: `beside` the flow that was open, or `alone`. */
  readonly imported?: string | undefined
}): ReactNode {
  const { opened, runId } = props
  const { editor, autosave } = useFlowEditor(opened)
  const { replace } = useNavigation()
  const { balance } = usePurse()
  const isNarrow = useNarrow()
  const [chosen, setChosen] = useState(props.view)
  const view = isNarrow && chosen !== 'runs' ? 'outline' : (chosen ?? 'canvas')
  const [isSigning, setSigning] = useState(false)
  const stale = useFreshCatalog(editor)
  const readInput = useCallback(async () => {
    const draft = autosave.draft()
    return (await readLastInput(draft)) ?? draft.input
  }, [autosave])
  const values = useValues(
    editor,
    runId === undefined ? undefined : { id: runId, flowId: opened.draft.draft_id },
    readInput,
  )
  const dragged = useRef<Step>(undefined)
  const price = useRef<HTMLHeadingElement>(null)
  useEffect(() => editor.live.setBalance(balance?.usdc), [editor, balance])
  const show = (next: BuilderView): void => {
    setChosen(next)
    replace(`/flows/${autosave.draft().draft_id}?view=${next}`)
  }
  const add = (step: Step): void => {
    const id = addStep(editor, step)
    requestAnimationFrame(() => requestAnimationFrame(() => editor.point({ step: id }, 'show')))
  }
  const run = (): void => {
    // What is run is what is kept.
    void autosave.flush().then(() => setSigning(true))
  }
  return (
    <EditorProvider value={editor}>
      <main id="main" className={`studio at-${view}`}>
        <ToolBar autosave={autosave} view={view} setView={show} dryRun={values.dryRun} run={run} />
        <ConflictNote autosave={autosave} />
        {props.imported !== undefined && <ImportedNote isBeside={props.imported === 'beside'} />}
        <UnderWay draft={autosave.draft()} />
        {values.failure !== undefined && <ValuesFailure of={values.failure} />}
        <ShownNote />
        {view === 'canvas' && (
          <>
            <Library
              add={add}
              drag={step => {
                dragged.current = step
              }}
            />
            <LazyCanvas
              toOutline={() => show('outline')}
              toPrice={() => price.current?.focus()}
              dragged={() => dragged.current}
            />
          </>
        )}
        {view === 'outline' && <Outline />}
        {view === 'runs' && <RunsList draft={autosave.draft()} />}
        {view !== 'runs' && <BeforeYouPay heading={price} stale={stale} />}
        <PayBar run={run} />
      </main>
      {isSigning && <Signing draft={autosave.draft()} close={() => setSigning(false)} />}
    </EditorProvider>
  )
}

/** Why there are no values to be shown. */
function ValuesFailure({ of }: { readonly of: unknown }): ReactNode {
  if (of instanceof ApiFailure || !(of instanceof Error)) return <FailureNote error={of} />
  return (
    <Note tone="warn" alert>
      <p>{of.message}</p>
    </Note>
  )
}

/** What signs is loaded when somebody wants to run it. */
function Signing({ draft, close }: { readonly draft: Draft; readonly close: () => void }): ReactNode {
  const { answer: loaded } = useRead('sheet', async () => {
    try {
      const last = readLastInput(draft).catch(() => undefined)
      const { SignSheet: Sheet } = await import('../sign/sign-sheet.tsx')
      return { Sheet, input: (await last) ?? draft.input }
    } catch (error) {
      close()
      throw error
    }
  })
  if (loaded === undefined) return null
  const { flow, saved, draft_id: draftId } = draft
  const { input } = loaded
  return (
    <loaded.Sheet
      flow={flow}
      draftId={draftId}
      onClose={close}
      {...(Object.keys(input).length > 0 && { input })}
      {...(saved !== undefined && { flowId: saved.flow_id })}
    />
  )
}

/** What the flow was last run with in this browser. */
async function readLastInput({ draft_id: draftId, saved }: Draft): Promise<JsonObject | undefined> {
  const { listRuns } = await import('../../kept/run-store.ts')
  const runs = await listRuns()
  return runs.find(run => run.draft_id === draftId || (saved !== undefined && run.flow_id === saved.flow_id))
    ?.input
}

/** The canvas is code of its own: whoever reads the outline does not load it. */
function LazyCanvas(props: CanvasProps): ReactNode {
  const { answer: loaded, failure } = useRead('canvas', async () => ({ Canvas: await loadCanvas() }))
  if (failure !== undefined) return <FailureNote error={failure} />
  if (loaded !== undefined) return <loaded.Canvas {...props} />
  return (
    <div className="canvas loading" aria-busy="true">
      <p role="status">Loading the canvas…</p>
    </div>
  )
}

const loadCanvas = async (): Promise<ComponentType<CanvasProps>> =>
  (await import('../canvas/flow-canvas.tsx')).FlowCanvas

// Fetched while the page is still taken over, where it will be shown: modules are loaded once.
if (typeof matchMedia === 'function' && !matchMedia(NARROW).matches) loadCanvas().catch(() => undefined)

/** What the values at the ports are, and what takes them away. */
function ShownNote(): ReactNode {
  const { values } = useEditor()
  const shown = useShownValues()
  if (shown === undefined) return null
  return (
    <p className="shown-note small" role="status">
      {shown.kind === 'run' ? 'You are viewing a run. Hide it to edit the flow.' : shown.title}{' '}
      {shown.url !== undefined && <a href={shown.url}>Open the run</a>}{' '}
      {shown.kind === 'run' && (
        <button type="button" className="link" onClick={() => values.set(undefined)}>
          Hide it
        </button>
      )}
    </p>
  )
}

/** That a file was read, and where what was open before is. */
function ImportedNote({ isBeside }: { readonly isBeside: boolean }): ReactNode {
  const [isSeen, setSeen] = useState(false)
  if (isSeen) return null
  return (
    <p className="shown-note small" role="status">
      The file was imported as a new flow.
      {isBeside && (
        <>
          {' '}
          The flow you had open has not changed. You can find it under <a href="/flows">Flows</a>.
        </>
      )}{' '}
      <button type="button" className="link" onClick={() => setSeen(true)}>
        OK
      </button>
    </p>
  )
}

/** Whether the flow is its outline here. */
function useNarrow(): boolean {
  return useSyncExternalStore(watchNarrow, isNarrowNow, () => false)
}

const isNarrowNow = (): boolean => matchMedia(NARROW).matches

function watchNarrow(changed: () => void): () => void {
  const query = matchMedia(NARROW)
  query.addEventListener('change', changed)
  return () => query.removeEventListener('change', changed)
}
