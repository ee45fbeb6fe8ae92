import type { FieldType } from '@farebox/protocol/fields/field'
import type { ReactNode } from 'react'
import { longestDecimals } from '../format/amount.ts'
import { TypeShape } from '../signs/type-shape.tsx'
import { Amount } from './amount.tsx'

/** A field by its name and type. */
interface FieldShape {
  readonly name: string
  readonly type: FieldType
}

/** A capability in a list: what goes in, what comes out, what it costs. */
interface Fare {
  readonly name: string
  readonly price: string
  readonly takes: readonly FieldShape[]
  readonly gives: readonly FieldShape[]
}

/** Capabilities as lines of a timetable, led to their prices by dots. */
export function Fares(props: {
  readonly fares: readonly Fare[]
  readonly decimals?: number
  readonly children?: ReactNode
}): ReactNode {
  const decimals = props.decimals ?? longestDecimals(props.fares.map(({ price }) => price))
  return (
    <ul className="fares">
      {props.fares.map(fare => (
        <li key={fare.name}>
          <span className="name cut">
            <bdi>{fare.name}</bdi>
          </span>
          <span className="shape cut">
            <Shapes of={fare.takes} />
            {fare.gives.length > 0 && <span className="faint">→</span>}
            <Shapes of={fare.gives} />
          </span>
          <span className="leader" />
          <span className="price">
            <Amount of={fare.price} decimals={decimals} />
          </span>
        </li>
      ))}
      {props.children}
    </ul>
  )
}

function Shapes({ of }: { readonly of: readonly FieldShape[] }): ReactNode {
  return of.map(({ name, type }) => (
    <span key={name}>
      <TypeShape type={type} />
      <bdi>{name}</bdi>
    </span>
  ))
}
