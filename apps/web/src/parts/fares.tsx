import type { FieldType } from '@farebox/protocol/fields/field'
import type { ReactNode } from 'react'
import { longestDecimals } from '../format/amount.ts'
import { TypeShape } from '../signs/type-shape.tsx'
import { Amount } from './amount.tsx'

/** The name and type of a field. */
interface FieldShape {
  readonly name: string
  readonly type: FieldType
}

/** A capability in a list: its inputs, its outputs, its price. */
interface Fare {
  readonly name: string
  readonly price: string
  readonly takes: readonly FieldShape[]
  readonly gives: readonly FieldShape[]
}

/** Capabilities as lines of a timetable, with dots that lead to the prices. */
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
