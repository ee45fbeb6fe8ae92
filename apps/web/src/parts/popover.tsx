import { useEffect, useEffectEvent, useLayoutEffect, useRef, type ReactNode } from 'react'

/** The rectangle next to which a popover is placed, in pixels of the window. */
export interface Anchor {
  readonly left: number
  readonly top: number
  readonly right: number
  readonly bottom: number
}

const GAP = 8

/**
 * A dialog over the page next to its anchor, open while it is rendered. It takes the focus, closes on Escape and on a click
 * outside, and returns the focus. On a phone it is at the bottom of the window.
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
    // Closed before it is removed, so that the focus returns to the previous element.
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

/** Places the popover right of the anchor, or left if there is more space; always inside the window. */
function putBeside(element: HTMLElement, anchor: Anchor): void {
  const { offsetWidth: width, offsetHeight: height } = element
  if (element.classList.contains('below')) {
    // The popover is below the anchor, so that the buttons next to the anchor stay visible.
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
