import type { ReactNode } from 'react'

/** The heading of a section, with what is at its end: what its figures are in, the way to more of it, a button. */
export function Heading(props: {
  readonly look?: 'ruled' | 'ruled middle' | 'close'
  /** For what is labelled by it. */
  readonly id?: string
  readonly end?: ReactNode
  readonly endLook?: 'mono' | 'num'
  readonly children: ReactNode
}): ReactNode {
  const { look, id, end, endLook, children } = props
  return (
    <div className={look === undefined ? 'heading' : `heading ${look}`}>
      <h2 id={id}>{children}</h2>
      {end !== undefined && end !== false && (
        <span className={endLook === undefined ? 'end' : `end ${endLook}`}>{end}</span>
      )}
    </div>
  )
}
