import type { FieldType } from '@farebox/protocol/fields/field'
import type { ReactNode } from 'react'

/** The type of a field as a shape with a colour; screen readers read the name of the type. */
export function TypeShape({ type }: { readonly type: FieldType }): ReactNode {
  return (
    <svg className={`type ${type}`} viewBox="0 0 14 14" role="img" aria-label={type}>
      {SHAPES[type]}
    </svg>
  )
}

const SHAPES: { readonly [type in FieldType]: ReactNode } = {
  string: <circle cx="7" cy="7" r="5.5" fill="currentColor" />,
  number: <path d="M7 .6L13.4 7 7 13.4.6 7z" fill="currentColor" />,
  integer: (
    <>
      <path d="M7 .6L13.4 7 7 13.4.6 7z" fill="currentColor" />
      <circle className="gap" cx="7" cy="7" r="2" />
    </>
  ),
  boolean: <path d="M1.5 1.5h5.5a5.5 5.5 0 010 11H1.5z" fill="currentColor" />,
  array: (
    <>
      <path d="M1 1h9v9H1z" fill="none" stroke="currentColor" strokeWidth="1.6" />
      <path className="gap-edge" d="M4.4 4.4h9v9h-9z" fill="currentColor" strokeWidth="1" />
    </>
  ),
  object: <path d="M7 .8l5.6 3.1v6.2L7 13.2 1.4 10.1V3.9z" fill="currentColor" />,
}
