import type { Field } from '@farebox/protocol/fields/field'
import type { ReactNode } from 'react'
import type { Control } from '../fields/choose-control.ts'
import { emptyValueOf, isEmptyValue } from './empty-value.ts'
import type { Value } from './field-values.ts'

/** A choice between a field's empty value and leaving the field out, because a blank control sends nothing. */
export function EmptyChoice(props: {
  readonly field: Field
  readonly control: Control
  readonly value: Value
  readonly onChange: (value: Value) => void
  readonly isHeld: boolean
  readonly isRefused: boolean
}): ReactNode {
  const { field, control, value, onChange, isHeld, isRefused } = props
  // In the JSON control, an empty value can be typed.
  const empty = control === 'json' ? undefined : emptyValueOf(field)
  if (empty === undefined) return null
  // The other controls show and hide the choice themselves.
  const isAlwaysShown = isRefused || control === 'group' || control === 'rows'
  if (value === undefined)
    return (
      <p className={isAlwaysShown ? 'hint' : 'hint empty-choice'}>
        <button type="button" className="link" disabled={isHeld} onClick={() => onChange(empty.value)}>
          Use {empty.words}
        </button>
      </p>
    )
  if (!isEmptyValue(value)) return null
  return (
    <p className="hint" role="status">
      Set to {empty.words}.{' '}
      <button type="button" className="link" disabled={isHeld} onClick={() => onChange(undefined)}>
        Leave it out
      </button>
    </p>
  )
}
