import type { ReactNode } from 'react'
import { TypeShape } from '../../signs/type-shape.tsx'
import type { ShownType } from '../view/views.ts'

/** The shape of a port's type; a ring where only the run will show it. Named by what stands beside it. */
export function PortShape({ type }: { readonly type: ShownType }): ReactNode {
  return (
    <span className="port-shape" aria-hidden="true">
      {type === 'any' ? (
        <svg className="type any" viewBox="0 0 14 14">
          <circle cx="7" cy="7" r="4.7" />
        </svg>
      ) : (
        <TypeShape type={type} />
      )}
    </span>
  )
}
