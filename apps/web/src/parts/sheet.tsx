import { useLayoutEffect, useRef, type ReactNode } from 'react'

/**
 * A sheet over the page, open as long as it is there. `locked`: neither Escape nor the way back closes it, only what
 * stands in it.
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
