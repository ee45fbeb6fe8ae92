import type { Field } from '@farebox/protocol/fields/field'
import type { Value } from './field-values.ts'

/** An empty text, list or object, which its control displays like no value. */
export interface EmptyValue {
  readonly value: '' | [] | Record<string, never>
  /** A phrase such as "an empty list". */
  readonly words: string
}

/**
 * The empty value that a field accepts. Undefined when it accepts none, and when the control of the field already offers it.
 * A control that is left empty sends nothing, so choosing the empty value needs a separate control.
 */
export function emptyValueOf(field: Field): EmptyValue | undefined {
  if (field.enum !== undefined) return undefined
  switch (field.type) {
    case 'string':
      return takesEmptyText(field) ? { value: '', words: 'empty text' } : undefined
    case 'array':
      return (field.minItems ?? 0) <= 0 ? { value: [], words: 'an empty list' } : undefined
    case 'object':
      return Object.values(field.properties ?? {}).some(one => one.required === true)
        ? undefined
        : { value: {}, words: 'an empty object' }
    default:
      return undefined
  }
}

/** Whether a value is an empty text, list or object. */
export function isEmptyValue(value: Value): boolean {
  if (value === '') return true
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0
}

function takesEmptyText({ minLength = 0, format, pattern }: Field): boolean {
  return minLength <= 0 && format === undefined && (pattern === undefined || matchesEmpty(pattern))
}

/** Whether the pattern accepts an empty text. A pattern that this engine cannot compile is left for the agent to check. */
function matchesEmpty(pattern: string): boolean {
  try {
    return new RegExp(pattern, 'u').test('')
  } catch {
    return true
  }
}
