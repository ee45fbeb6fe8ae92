import { useState, type ReactNode } from 'react'
import { Switch } from '../../../parts/switch.tsx'
import { Sign } from '../../../signs/sign.tsx'
import type { Autosave } from '../../document/autosave.ts'
import { useEditor, useFlowState, useFlowView, useShownValues } from '../../editor/use-editor.ts'
import { FlowMenu } from './flow-menu.tsx'
import { RunButton } from './run-button.tsx'
import { SaveLine, useSaveStatus } from './save-line.tsx'
import { ShareButton } from './share-button.tsx'

/** How a flow is shown. */
export type BuilderView = 'canvas' | 'outline' | 'runs'

/** The flow's name, the way back, how it is shown, and what can be done with it. */
export function ToolBar(props: {
  readonly autosave: Autosave
  readonly view: BuilderView
  readonly setView: (view: BuilderView) => void
  readonly dryRun: () => void
  readonly run: () => void
}): ReactNode {
  const { autosave, view, setView, dryRun, run } = props
  const { store, values } = useEditor()
  const status = useSaveStatus(autosave)
  const canUndo = useFlowState(state => state.canUndo)
  const canRedo = useFlowState(state => state.canRedo)
  const shown = useShownValues()
  return (
    <div className="tools">
      <FlowName />
      <span className="small faint save-line" role="status">
        <SaveLine status={status} />
      </span>
      <span className="undo">
        <button
          type="button"
          className="button low bare"
          aria-label="Undo"
          disabled={!canUndo}
          onClick={() => store.undo()}
        >
          <Sign name="undo" />
        </button>
        <button
          type="button"
          className="button low bare"
          aria-label="Redo"
          disabled={!canRedo}
          onClick={() => store.redo()}
        >
          <Sign name="redo" />
        </button>
      </span>
      <Switch
        label="View"
        value={view}
        choices={[
          ['canvas', 'Canvas'],
          ['outline', 'Outline'],
          ['runs', 'Runs'],
        ]}
        onChange={setView}
      />
      <span className="end">
        <Mending />
        {shown === undefined ? (
          <button type="button" className="button low dry-run" onClick={dryRun}>
            Dry run, free
          </button>
        ) : (
          <button type="button" className="button low dry-run" onClick={() => values.set(undefined)}>
            {shown.kind === 'run' ? 'Hide the run' : 'Hide samples'}
          </button>
        )}
        <ShareButton autosave={autosave} />
        <FlowMenu autosave={autosave} hasCanvas={view === 'canvas'} />
        <RunButton run={run} />
      </span>
    </div>
  )
}

/** How many things keep the flow from being run; leads to the first. */
export function Mending(): ReactNode {
  const editor = useEditor()
  const errors = useFlowView(
    ({ check }) => check.findings.filter(({ severity, id }) => severity === 'error' && id !== 'empty').length,
  )
  if (errors === 0) return null
  return (
    <button
      type="button"
      className="link small bad mending"
      onClick={() => {
        const first = editor.live.read().check.findings.find(({ step }) => step !== undefined)
        if (first?.step !== undefined) editor.point({ step: first.step, port: first.port })
        leadToFinding()
      }}
    >
      {errors === 1 ? '1 problem to fix' : `${errors} problems to fix`}
    </button>
  )
}

/** To the first error with the buttons that mend it, wherever it is listed now. */
function leadToFinding(): void {
  const found = Array.from(document.querySelectorAll<HTMLElement>('.finding.is-error')).find(one =>
    one.checkVisibility(),
  )
  found?.scrollIntoView({ block: 'center' })
  // On the canvas the focus stays at the port that is meant: what mends it stands beside.
  if (found?.closest('.outline') === null) return
  found?.querySelector<HTMLElement>('.row button')?.focus({ preventScroll: true })
}

const MOST_NAME = 80

/** The name, to be changed where it stands. */
function FlowName(): ReactNode {
  const { store } = useEditor()
  const name = useFlowState(({ flow }) => flow.name)
  const [typed, setTyped] = useState<string>()
  return (
    <h1 className="flow-name">
      <span className="unseen">Flow: {name}</span>
      <span className="sized" aria-hidden="true">
        {typed ?? name}
      </span>
      <input
        aria-label="Flow name"
        autoComplete="off"
        spellCheck={false}
        maxLength={MOST_NAME}
        value={typed ?? name}
        onBlur={() => setTyped(undefined)}
        onChange={({ target }) => {
          setTyped(target.value)
          if (target.value.trim() !== '')
            store.edit([{ edit: 'rename-flow', name: target.value }], { join: 'name' })
        }}
      />
    </h1>
  )
}
