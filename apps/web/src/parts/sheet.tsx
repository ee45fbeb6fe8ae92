import { useLayoutEffect, useRef, type ReactNode } from 'react'
import type { Acting } from '../site/action.ts'
import { Note } from './note.tsx'

/**
 * A sheet over the page, open while it is rendered. `locked`: neither Escape nor the way back closes it, only its own
 * buttons do.
 */
export function Sheet(props: {
  /** The id of its heading. */
  readonly labelledBy: string
  readonly close: () => void
  readonly locked?: boolean
  /** `ticket`: something is signed on it. */
  readonly look?: 'ticket'
  readonly children: ReactNode
}): ReactNode {
  const { labelledBy, close, locked = false, look, children } = props
  const dialog = useRef<HTMLDialogElement>(null)
  useLayoutEffect(() => {
    const { current } = dialog
    current?.showModal()
    // Closed before it is taken away, so that focus goes back to where it came from.
    return () => current?.close()
  }, [])
  return (
    <dialog
      ref={dialog}
      className={look === 'ticket' ? 'on-ticket' : undefined}
      aria-labelledby={labelledBy}
      closedby={locked ? 'none' : 'closerequest'}
      onKeyDown={event => {
        // Browsers without `closedby` close at Escape, and at a second one whatever the page says to `cancel`.
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

/** A sheet that asks before something is done: what that means or needs, why it failed, and both ways on. */
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
