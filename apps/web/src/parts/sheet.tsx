import { useLayoutEffect, useRef, type ReactNode } from 'react'
import type { Acting } from '../site/action.ts'
import { Note } from './note.tsx'

/**
 * A sheet over the page, open while it is rendered. `locked`: only its own buttons close it, not Escape or the back gesture.
 */
export function Sheet(props: {
  /** The id of the element that labels the sheet. */
  readonly labelledBy: string
  readonly close: () => void
  readonly locked?: boolean
  /** `ticket`: the look of a sheet on which something is signed. */
  readonly look?: 'ticket'
  readonly children: ReactNode
}): ReactNode {
  const { labelledBy, close, locked = false, look, children } = props
  const dialog = useRef<HTMLDialogElement>(null)
  useLayoutEffect(() => {
    const { current } = dialog
    current?.showModal()
    // Closed before it is removed, so that the focus returns to the previous element.
    return () => current?.close()
  }, [])
  return (
    <dialog
      ref={dialog}
      className={look === 'ticket' ? 'on-ticket' : undefined}
      aria-labelledby={labelledBy}
      closedby={locked ? 'none' : 'closerequest'}
      onKeyDown={event => {
        // Browsers without `closedby` close on Escape, and on a second Escape even if the page cancels the `cancel` event.
        if (locked && event.key === 'Escape') event.preventDefault()
      }}
      onCancel={event => {
        if (locked) event.preventDefault()
      }}
      onClose={() => {
        if (locked) dialog.current?.showModal()
        else close()
      }}
    >
      {children}
    </dialog>
  )
}

/**
 * A sheet that confirms an action: its consequences or requirements, why it failed, and buttons to confirm and to go back.
 */
export function ConfirmSheet(props: {
  readonly id: string
  readonly title: ReactNode
  readonly children: ReactNode
  readonly keep: string
  readonly close: () => void
  readonly look: 'solid' | 'danger'
  readonly words: string
  readonly busyWords?: string
  readonly acting: Acting & { readonly act: () => void }
}): ReactNode {
  const { id, title, children, keep, close, look, words, busyWords = words, acting } = props
  const isBusy = acting.state === 'busy'
  return (
    <Sheet labelledBy={id} close={close}>
      <h2 id={id}>{title}</h2>
      <form
        onSubmit={event => {
          event.preventDefault()
          acting.act()
        }}
      >
        {children}
        {acting.state === 'failed' && (
          <Note tone="refused" alert>
            <p>{acting.sentence}</p>
          </Note>
        )}
        <div className="acts">
          <button type="button" className="button" onClick={close}>
            {keep}
          </button>
          <button type="submit" className={`button ${look}`} disabled={isBusy}>
            {isBusy ? busyWords : words}
          </button>
        </div>
      </form>
    </Sheet>
  )
}
