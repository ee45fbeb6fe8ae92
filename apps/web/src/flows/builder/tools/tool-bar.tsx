import { useState, type ReactNode } from 'react'
import { Switch } from '../../../parts/switch.tsx'
import { Sign, type SignName } from '../../../signs/sign.tsx'
import type { Autosave } from '../../document/autosave.ts'
import { useEditor, useFlowState, useShownValues } from '../../editor/use-editor.ts'
import { FlowMenu } from './flow-menu.tsx'
import { ProblemsToFix, RunButton } from './run-button.tsx'
import { SaveLine, useSaveStatus } from './save-line.tsx'
import { ShareButton } from './share-button.tsx'

/** The views of a flow. */
export type BuilderView = 'canvas' | 'outline' | 'runs'

/** The flow's name, undo and redo, the choice of its view, and its actions. */
export function ToolBar(props: {
  readonly autosave: Autosave
  readonly view: BuilderView
  readonly setView: (view: BuilderView) => void
  readonly dryRun: () => void
  readonly run: () => void
}): ReactNode {
  const { autosave, view, setView, dryRun, run } = props
  const status = useSaveStatus(autosave)
  return (
    <div className="tools">
      <FlowName />
      <span className="small faint save-line" role="status">
        <SaveLine status={status} />
      </span>
      <UndoButtons />
      <Switch label="View" value={view} choices={VIEWS} onChange={setView} />
      <span className="end">
        <ProblemsToFix />
        <DryRunButton dryRun={dryRun} />
        <ShareButton autosave={autosave} />
        <FlowMenu autosave={autosave} hasCanvas={view === 'canvas'} />
        <RunButton run={run} />
      </span>
    </div>
  )
}

const VIEWS = [
  ['canvas', 'Canvas'],
  ['outline', 'Outline'],
  ['runs', 'Runs'],
] as const

function UndoButtons(): ReactNode {
  const { store } = useEditor()
  const canUndo = useFlowState(state => state.canUndo)
  const canRedo = useFlowState(state => state.canRedo)
  return (
    <span className="undo">
      <IconButton label="Undo" sign="undo" isOn={canUndo} press={() => store.undo()} />
      <IconButton label="Redo" sign="redo" isOn={canRedo} press={() => store.redo()} />
    </span>
  )
}

function IconButton(props: {
  readonly label: string
  readonly sign: SignName
  readonly isOn: boolean
  readonly press: () => void
}): ReactNode {
  const { label, sign, isOn, press } = props
  return (
    <button type="button" className="button low bare" aria-label={label} disabled={!isOn} onClick={press}>
      <Sign name={sign} />
    </button>
  )
}

/** Starts a dry run; while values are shown at the ports, hides them instead. */
function DryRunButton({ dryRun }: { readonly dryRun: () => void }): ReactNode {
  const { values } = useEditor()
  const shown = useShownValues()
  return shown === undefined ? (
    <button type="button" className="button low dry-run" onClick={dryRun}>
      Dry run, free
    </button>
  ) : (
    <button type="button" className="button low dry-run" onClick={() => values.set(undefined)}>
      {shown.kind === 'run' ? 'Hide the run' : 'Hide samples'}
    </button>
  )
}

const MOST_NAME = 80

/** The name of the flow, in a field without a border. */
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
