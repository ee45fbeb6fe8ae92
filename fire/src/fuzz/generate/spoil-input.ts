import type { Field, FieldMap, JsonObject, JsonValue } from 'farebox'
import type { Random } from '../../simulator/seeded-random.ts'
import { textFormOf } from './text-forms.ts'

/**
 * Breaks exactly one field of a good input, in place. Returns the field's name, or undefined where the schema has
 * no field to break.
 */
export function spoilInput(random: Random, fields: FieldMap, input: JsonObject): string | undefined {
  const names = Object.keys(fields)
  if (names.length === 0) return undefined
  const name = random.pick(names)
  const field = fields[name]
  if (field === undefined) return undefined
  if (field.required === true && random.chance(0.3)) delete input[name]
  else input[name] = wrongValue(random, field)
  return name
}

/** A value that no coercion makes right (D19). */
export function wrongValue(random: Random, field: Field): JsonValue {
  const broken = brokenBounds(field)
  if (broken !== undefined && random.chance(0.4)) return broken
  return random.pick(WRONG[field.type])
}

const WRONG: { readonly [type in Field['type']]: readonly JsonValue[] } = {
  string: [null, {}, [], ['text']],
  number: [null, '', ' ', 'abc', '1,5', '0x10', 'Infinity', '01', '1e400', true, [], [1], {}],
  integer: [null, 1.5, '1.5', 2 ** 53, '9007199254740993', true, [], {}],
  boolean: [null, 0, 1, 'yes', 'TRUE', '', [], {}],
  array: [null, 'a', 1, {}, { length: 1 }],
  object: [null, 'a', 1, true, []],
}

/** A value of the right type beyond a bound, where the field has one. */
function brokenBounds(field: Field): JsonValue | undefined {
  const form = textFormOf(field)
  if (form !== undefined) return form.bad[0]
  if (field.enum !== undefined) return field.type === 'string' ? 'blue' : 99
  if (field.maxLength !== undefined) return '🚕'.repeat(field.maxLength + 1)
  if (field.minimum !== undefined) return field.minimum - 1
  if (field.maximum !== undefined) return field.maximum + 1
  if (field.maxItems !== undefined) return Array.from({ length: field.maxItems + 1 }, () => 0)
  return undefined
}
