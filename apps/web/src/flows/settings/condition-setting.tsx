import type { Condition } from '@farebox/flows/document/flow'
import type { ReactNode } from 'react'
import { ChoiceSetting, NumberSetting, ValueSetting } from './setting-fields.tsx'

/** The condition of a branch: a comparison, and the value to compare with. */
export function ConditionSetting(props: {
  readonly condition: Condition
  readonly onChange: (condition: Condition) => void
}): ReactNode {
  const { condition, onChange } = props
  return (
    <>
      <ChoiceSetting
        label="Take the “then” branch if"
        value={condition.is}
        choices={CONDITIONS}
        onChange={is => onChange(withComparison(condition, is))}
      />
      <ComparedValue condition={condition} onChange={onChange} />
    </>
  )
}

const CONDITIONS: readonly (readonly [Condition['is'], string])[] = [
  ['there', 'there is a value'],
  ['equal-to', 'it is'],
  ['containing', 'it contains'],
  ['less-than', 'it is less than'],
  ['at-most', 'it is at most'],
  ['greater-than', 'it is more than'],
  ['at-least', 'it is at least'],
]

/** The condition with another comparison; it keeps the value if that comparison can use it. */
function withComparison(condition: Condition, is: Condition['is']): Condition {
  const value = 'value' in condition ? condition.value : ''
  switch (is) {
    case 'there':
      return { is }
    case 'equal-to':
      return { is, value }
    case 'containing':
      return { is, value: isScalar(value) ? value : '' }
    default:
      return { is, value: typeof value === 'number' ? value : 0 }
  }
}

function ComparedValue(props: {
  readonly condition: Condition
  readonly onChange: (condition: Condition) => void
}): ReactNode {
  const { condition, onChange } = props
  switch (condition.is) {
    case 'there':
      return null
    case 'equal-to':
      return (
        <ValueSetting
          label="Value"
          value={condition.value}
          onChange={value => onChange({ ...condition, value })}
        />
      )
    case 'containing':
      return (
        <ValueSetting
          label="Value"
          value={condition.value}
          onChange={value =>
            onChange({ ...condition, value: isScalar(value) ? value : JSON.stringify(value) })
          }
        />
      )
    default:
      return (
        <NumberSetting
          label="Number"
          value={condition.value}
          least={-Infinity}
          most={Infinity}
          isWhole={false}
          onChange={value => onChange({ ...condition, value })}
        />
      )
  }
}

function isScalar(value: unknown): value is string | number | boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
}
