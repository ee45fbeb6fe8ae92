import { useEffect, useEffectEvent, useLayoutEffect, useRef, type ReactNode } from 'react'

/** The place that a popover is put beside, in pixels of the window. */
export interface Anchor {
  readonly left: number
  readonly top: number
  readonly right: number
  readonly bottom: number
}

const GAP = 8

/**
 * A dialog over the page beside its anchor, open while it is rendered. It takes the focus, closes at Escape and at a
 * click elsewhere, and gives the focus back. On a phone it is at the foot of the window.
 */
export function Popover(props: {
  readonly label: string
  readonly anchor: () => Anchor
  readonly close: () => void
  readonly className?: string
  readonly children: ReactNode
}): ReactNode {
  const { label, anchor, close, className = '', children } = props
  const element = useRef<HTMLDivElement>(null)
  const place = useEffectEvent(() => {
    if (element.current !== null) putBeside(element.current, anchor())
  })
  const toggle = useEffectEvent((event: Event) => {
    if ((event as ToggleEvent).newState === 'closed') close()
  })
  useLayoutEffect(() => {
    const { current } = element
    if (current === null) return undefined
    current.showPopover()
    current.focus({ preventScroll: true })
    place()
    const replace = (): void => place()
    const size = new ResizeObserver(replace)
    size.observe(current)
    addEventListener('resize', replace)
    // Closed before it is taken away, so that focus goes back to where it came from.
    return () => {
      size.disconnect()
      removeEventListener('resize', replace)
      current.hidePopover()
    }
  }, [])
  useEffect(() => {
    const { current } = element
    const listen = (event: Event): void => toggle(event)
    current?.addEventListener('toggle', listen)
    return () => current?.removeEventListener('toggle', listen)
  }, [])
  return (
    <div
      ref={element}
      popover="auto"
      role="dialog"
      aria-label={label}
      tabIndex={-1}
      className={`popover ${className}`}
    >
      {children}
    </div>
  )
}

/** A button that opens a popover below itself; `label` names both. */
export function PopoverButton(props: {
  readonly label: string
  readonly isOpen: boolean
  readonly open: () => void
  readonly close: () => void
  /** The content of the button. */
  readonly words: ReactNode
  readonly buttonClass: string
  readonly popoverClass: string
  readonly children: ReactNode
}): ReactNode {
  const { label, isOpen, open, close, words, buttonClass, popoverClass, children } = props
  const button = useRef<HTMLButtonElement>(null)
  return (
    <>
      <button
        ref={button}
        type="button"
        className={buttonClass}
        aria-label={label}
        aria-haspopup="dialog"
        onClick={open}
      >
        {words}
      </button>
      {isOpen && (
        <Popover
          label={label}
          anchor={() => button.current?.getBoundingClientRect() ?? { left: 0, top: 0, right: 0, bottom: 0 }}
          close={close}
          className={`${popoverClass} below`}
        >
          {children}
        </Popover>
      )}
    </>
  )
}

/** Right of the anchor, or left, where there is room; never outside of the window. */
function putBeside(element: HTMLElement, anchor: Anchor): void {
  const { offsetWidth: width, offsetHeight: height } = element
  if (element.classList.contains('below')) {
    // The buttons beside the anchor stay visible.
    element.style.left = `${Math.max(GAP, Math.min(anchor.left, innerWidth - GAP - width))}px`
    element.style.top = `${anchor.bottom + GAP}px`
    return
  }
  const right = anchor.right + GAP
  const left = anchor.left - GAP - width
  const isRightFree = right + width <= innerWidth - GAP
  const x = isRightFree ? right : left >= GAP ? left : Math.min(anchor.left, innerWidth - GAP - width)
  const isBeside = isRightFree || left >= GAP
  const below = anchor.bottom + GAP
  const y = isBeside ? anchor.top : below + height <= innerHeight - GAP ? below : anchor.top - GAP - height
  element.style.left = `${Math.max(GAP, x)}px`
  element.style.top = `${Math.max(GAP, Math.min(y, innerHeight - GAP - height))}px`
}
