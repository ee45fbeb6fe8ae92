import { comparableJson } from '@farebox/protocol/internal/fields/equal-json'
import type { JsonValue } from '@farebox/protocol/fields/field'
import type { Condition } from '../document/flow.ts'

/** Whether a branch hands the value on by `then`. Absent and null are not there. Pure; never throws. */
export function meetsCondition(condition: Condition, value: JsonValue | undefined): boolean {
  if (value === undefined || value === null) return false
  switch (condition.is) {
    case 'there':
      return true
    case 'equal-to':
      return comparableJson(value) === comparableJson(condition.value)
    case 'containing':
      return contains(value, condition.value)
    case 'less-than':
      return typeof value === 'number' && value < condition.value
    case 'at-most':
      return typeof value === 'number' && value <= condition.value
    case 'greater-than':
      return typeof value === 'number' && value > condition.value
    case 'at-least':
      return typeof value === 'number' && value >= condition.value
  }
}

/** A text that has the text in it, or a list that has the value among its items. */
function contains(value: JsonValue, wanted: string | number | boolean): boolean {
  if (typeof value === 'string') return typeof wanted === 'string' && value.includes(wanted)
  return Array.isArray(value) && value.includes(wanted)
}
