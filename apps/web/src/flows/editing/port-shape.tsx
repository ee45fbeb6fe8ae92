import type { ReactNode } from 'react'
import { TypeShape } from '../../signs/type-shape.tsx'
import type { PortView, ShownType } from '../view/views.ts'

/** The shape of a port's type; a ring when only the run will determine the type. The text next to it names the port. */
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

/** A tag for a port that differs from the flow's pinned terms: new, or gone. */
export function PortTag({ state }: { readonly state: PortView['state'] }): ReactNode {
  return state === 'there' ? null : (
    <span className={`tag ${state === 'new' ? 'info' : 'refused'}`}>{state}</span>
  )
}
