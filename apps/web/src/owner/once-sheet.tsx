import { useEffect, type ReactNode } from 'react'
import { CopyButton } from '../parts/copy-button.tsx'
import { Sheet } from '../parts/sheet.tsx'

/** A value that is shown once. The sheet stays open until the reader confirms that the value is saved. */
export function OnceSheet(props: {
  readonly title: string
  /** The purpose of the value, shown above it. */
  readonly children: ReactNode
  /** The lines to save, in the form in which they are copied. */
  readonly lines: string
  readonly copy: string
  /** Instructions, shown below the value. */
  readonly hint: string
  readonly kept: () => void
}): ReactNode {
  const { title, children, lines, copy, hint, kept } = props
  useEffect(() => {
    // The value cannot be shown again, so the browser asks for confirmation before the page is left.
    const hold = (event: BeforeUnloadEvent): void => event.preventDefault()
    addEventListener('beforeunload', hold)
    return () => removeEventListener('beforeunload', hold)
  }, [])
  return (
    <Sheet labelledBy="once" close={kept} locked>
      <h2 id="once">{title}</h2>
      <div className="quiet above">{children}</div>
      <pre className="code whole" tabIndex={0}>
        {lines}
      </pre>
      <div className="acts keep">
        <CopyButton className="button solid" text={() => lines}>
          {copy}
        </CopyButton>
        <button type="button" className="button" onClick={kept}>
          I have saved it
        </button>
      </div>
      <p className="hint">{hint}</p>
    </Sheet>
  )
}
