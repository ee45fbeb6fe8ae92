import { comparableJson } from '@farebox/protocol/internal/fields/equal-json'
import type { JsonValue } from '@farebox/protocol/fields/field'
import type { Condition } from '../document/flow.ts'

/** Does a branch pass its value on by `then`? An absent value and null do not meet any condition. Pure; never throws. */
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

/** True for a text that contains the text, and for a list with the value among its items. */
function contains(value: JsonValue, wanted: string | number | boolean): boolean {
  if (typeof value === 'string') return typeof wanted === 'string' && value.includes(wanted)
  return Array.isArray(value) && value.includes(wanted)
}
