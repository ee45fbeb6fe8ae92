import type { Constraint } from './constraints.ts'
import { describeValue } from './describe-value.ts'
import type { Field, FieldType, JsonValue } from './field.ts'
import { refuseValue } from './plain-json.ts'
import type { Rules, ValueCheck } from './value-rules.ts'

/** Builds the check of a field without nested fields: its type, then its constraints in their order. */
export function leafCheck<T extends JsonValue>(
  field: Field,
  rules: Rules,
  constraints: readonly Constraint<T>[],
  isLeaf: (value: JsonValue) => value is T & JsonValue,
): ValueCheck {
  const { type } = field
  return (given, run) => {
    const value = rules.convert(given, type)
    if (value === undefined || !isLeaf(value))
      return refuseValue(run, `must be ${AN[type]}, got ${describeValue(given)}`)
    for (const constraint of constraints) {
      const reason = constraint(value, run)
      if (reason !== undefined) return refuseValue(run, reason)
    }
    return value
  }
}

const AN: { readonly [type in FieldType]: string } = {
  string: 'a string',
  number: 'a number',
  integer: 'an integer',
  boolean: 'a boolean',
  array: 'an array',
  object: 'an object',
}
