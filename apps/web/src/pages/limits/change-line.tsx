import type { ReactNode } from 'react'
import type { Change } from '../../limits/use-change.ts'
import { Note } from '../../parts/note.tsx'
import { CopiedHash } from '../../parts/short.tsx'

/** How far a change is that was begun here; nothing where none was. */
export function ChangeLine({ change, what }: { readonly change: Change; readonly what: string }): ReactNode {
  const { state } = change
  if (state.step === 'idle' || state.what !== what) return null
  if (state.step === 'stopped') {
    return (
      <Note tone="warn" alert>
        <p>
          <bdi>{state.sentence}</bdi>
        </p>
      </Note>
    )
  }
  return (
    <p className="small change-line" role="status">
      {state.step === 'done' ? (
        'Done. The transaction is confirmed.'
      ) : (
        <>
          <bdi>{state.words}</bdi>… {state.transaction !== undefined && <CopiedHash of={state.transaction} />}
        </>
      )}
    </p>
  )
}

/** Whether a change is under way anywhere on the page: one is made at a time. */
export function isSending({ state }: Change): boolean {
  return state.step === 'sending'
}
