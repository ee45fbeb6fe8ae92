import { useState, type ReactNode } from 'react'
import { FailureNote, Note } from '../../parts/note.tsx'
import { When } from '../../parts/when.tsx'
import { ApiFailure } from '../../site/ask.ts'
import { useNavigation } from '../../site/navigation.ts'
import type { Autosave } from '../document/autosave.ts'
import { useEditor, useShownValues } from '../editor/use-editor.ts'
import { useSaveStatus } from './tools/save-line.tsx'

/**
 * Shown when another version of the flow was saved meanwhile. Both versions are kept; the reader chooses one to continue
 * with.
 */
export function ConflictNote({ autosave }: { readonly autosave: Autosave }): ReactNode {
  const status = useSaveStatus(autosave)
  const { reload } = useNavigation()
  if (status.is !== 'conflict') return null
  return (
    <div className="conflict">
      <Note tone="warn" alert>
        <p>
          <b>
            Another version of this flow was saved <When at={status.theirs.changed_at} />.
          </b>{' '}
          Your version is in this browser. Whichever you choose, both will be kept.
        </p>
        <p className="acts">
          <button type="button" className="link" onClick={() => void autosave.choose('mine')}>
            Save mine and keep theirs as an earlier version
          </button>
          <button type="button" className="link" onClick={() => void autosave.choose('theirs').then(reload)}>
            Open theirs and keep mine as a separate flow
          </button>
        </p>
      </Note>
    </div>
  )
}

/** Shown after a file was imported: where to find the flow that was open before. */
export function ImportedNote({ isBeside }: { readonly isBeside: boolean }): ReactNode {
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

/** Why the values of a run or a dry run cannot be shown. */
export function ValuesFailure({ of }: { readonly of: unknown }): ReactNode {
  if (of instanceof ApiFailure || !(of instanceof Error)) return <FailureNote error={of} />
  return (
    <Note tone="warn" alert>
      <p>{of.message}</p>
    </Note>
  )
}

/** The run whose values the ports show, and a button that hides the values. */
export function ShownNote(): ReactNode {
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
