import type { WalletLimits } from '@farebox/platform-api/limits/wallet-limits'
import type { ReactNode } from 'react'
import type { LimitChange } from '../../limits/plan-change.ts'
import type { Change } from '../../limits/use-change.ts'
import { Note } from '../../parts/note.tsx'
import { CopiedHash } from '../../parts/short.tsx'

/** The progress of a change started at this place; renders nothing if none was. */
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

/** Starts a change of limits. Only one change can be in progress, so all these buttons are disabled meanwhile. */
export function ChangeButton(props: {
  readonly change: Change
  /** The name of the change. */
  readonly what: string
  readonly limits: WalletLimits
  readonly planned: LimitChange
  readonly look?: 'danger'
  readonly children: ReactNode
}): ReactNode {
  const { change, what, limits, planned, look, children } = props
  return (
    <button
      type="button"
      className={look === undefined ? 'button low' : `button low ${look}`}
      disabled={change.state.step === 'sending'}
      onClick={() => change.start(what, limits, planned)}
    >
      {children}
    </button>
  )
}
