import type { ReactNode } from 'react'

/** The heading of a section. Its end can hold the unit of the figures, a link to more, or a button. */
export function Heading(props: {
  readonly look?: 'ruled' | 'ruled middle' | 'close'
  /** The id, for elements that the heading labels. */
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
