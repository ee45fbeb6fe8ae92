import type { ReactNode } from 'react'
import { Note } from '../../parts/note.tsx'
import { When } from '../../parts/when.tsx'
import { useNavigation } from '../../site/navigation.ts'
import type { Autosave } from '../document/autosave.ts'
import { useSaveStatus } from './tools/save-line.tsx'

/** Two versions of one flow: both are kept, and somebody chooses. */
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
