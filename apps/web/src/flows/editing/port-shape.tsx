import type { ReactNode } from 'react'
import { TypeShape } from '../../signs/type-shape.tsx'
import type { PortView, ShownType } from '../view/views.ts'

/** The shape of a port's type; a ring where only the run will show it. The port's name beside it names it. */
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

/** A mark for a port that is not as the flow knows it: new, or gone. */
export function PortTag({ state }: { readonly state: PortView['state'] }): ReactNode {
  return state === 'there' ? null : (
    <span className={`tag ${state === 'new' ? 'info' : 'refused'}`}>{state}</span>
  )
}
