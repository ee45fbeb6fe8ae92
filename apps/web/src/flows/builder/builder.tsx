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
import { FailureNote } from '../../parts/note.tsx'
import { usePurse } from '../../purse/purse-context.ts'
import { useRead } from '../../site/question.ts'
import { useNavigation } from '../../site/navigation.ts'
import type { CanvasProps } from '../canvas/flow-canvas.tsx'
import type { Draft } from '../../kept/draft.ts'
import { addStep } from '../editor/edit-actions.ts'
import { EditorProvider, useEditor } from '../editor/use-editor.ts'
import { Outline } from '../outline/outline.tsx'
import { BeforeYouPay } from './before-you-pay.tsx'
import { Library } from './library.tsx'
import { ConflictNote, ImportedNote, ShownNote, ValuesFailure } from './notes.tsx'
import { RunsList } from './runs-list.tsx'
import { PayBar } from './tools/run-button.tsx'
import { ToolBar, type BuilderView } from './tools/tool-bar.tsx'
import { UnderWay } from './under-way.tsx'
import { useFlowEditor, useFreshCatalog, type FlowToOpen } from './use-flow-editor.ts'
import { useValues } from './use-values.ts'

/** The page on which a flow is edited, checked, and started. */
export function Builder(props: {
  readonly opened: FlowToOpen
  /** The view that the address names. */
  readonly view: BuilderView | undefined
  /** A past run whose values are shown at the ports. */
  readonly runId: string | undefined
  /** Set when the flow was just imported from a file: `beside` the flow that was open, or `alone`. */
  readonly imported?: string | undefined
}): ReactNode {
  const { opened, runId } = props
  const { editor, autosave } = useFlowEditor(opened)
  const { balance } = usePurse()
  const { view, show } = useBuilderView(props.view, () => autosave.draft())
  const [isSigning, setSigning] = useState(false)
  const stale = useFreshCatalog(editor)
  const readInput = useCallback(() => readInputFor(autosave.draft()), [autosave])
  const past = runId === undefined ? undefined : { id: runId, flowId: opened.draft.draft_id }
  const values = useValues(editor, past, readInput)
  const price = useRef<HTMLHeadingElement>(null)
  useEffect(() => editor.live.setBalance(balance?.usdc), [editor, balance])
  // The run reads the flow from the draft, so pending changes are saved first.
  const run = (): void => void autosave.flush().then(() => setSigning(true))
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
          <CanvasView toOutline={() => show('outline')} toPrice={() => price.current?.focus()} />
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

/** Matches a phone, and any window as narrow as one. */
const NARROW = '(max-width: 760px)'

/** The chosen view of the flow, which is written to the address. A narrow window shows the outline instead of the canvas. */
function useBuilderView(
  first: BuilderView | undefined,
  draft: () => Draft,
): { readonly view: BuilderView; readonly show: (view: BuilderView) => void } {
  const { replace } = useNavigation()
  const isNarrow = useSyncExternalStore(watchNarrow, isNarrowNow, () => false)
  const [chosen, setChosen] = useState(first)
  const show = (next: BuilderView): void => {
    setChosen(next)
    replace(`/flows/${draft().draft_id}?view=${next}`)
  }
  return { view: isNarrow && chosen !== 'runs' ? 'outline' : (chosen ?? 'canvas'), show }
}

const isNarrowNow = (): boolean => matchMedia(NARROW).matches

function watchNarrow(changed: () => void): () => void {
  const query = matchMedia(NARROW)
  query.addEventListener('change', changed)
  return () => query.removeEventListener('change', changed)
}

/** The canvas with the library beside it, from which steps are added or dragged. */
function CanvasView(props: Pick<CanvasProps, 'toOutline' | 'toPrice'>): ReactNode {
  const editor = useEditor()
  const dragged = useRef<Step>(undefined)
  const readDragged = useCallback(() => dragged.current, [])
  const add = (step: Step): void => {
    const id = addStep(editor, step)
    requestAnimationFrame(() => requestAnimationFrame(() => editor.point({ step: id }, 'show')))
  }
  return (
    <>
      <Library
        add={add}
        drag={step => {
          dragged.current = step
        }}
      />
      <LazyCanvas {...props} dragged={readDragged} />
    </>
  )
}

/** Loads the canvas as a separate chunk, because the outline does not need it. */
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

// Starts while the browser is still taking over the page; the component later gets the same module.
if (typeof matchMedia === 'function' && !isNarrowNow()) loadCanvas().catch(() => undefined)

/** The sheet for signing, loaded when the reader wants to run the flow. */
function Signing({ draft, close }: { readonly draft: Draft; readonly close: () => void }): ReactNode {
  const { answer: loaded } = useRead('sheet', async () => {
    try {
      const reading = readInputFor(draft).catch(() => draft.input)
      const { SignSheet: Sheet } = await import('../sign/sign-sheet.tsx')
      return { Sheet, input: await reading }
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

/** The input of the flow's last run in this browser, or else the input that came with the draft. */
async function readInputFor({ draft_id: draftId, saved, input }: Draft): Promise<JsonObject> {
  const { listRuns } = await import('../../kept/run-store.ts')
  const runs = await listRuns()
  const last = runs.find(
    run => run.draft_id === draftId || (saved !== undefined && run.flow_id === saved.flow_id),
  )
  return last?.input ?? input
}
