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
function wrongValue(random: Random, field: Field): JsonValue {
  const broken = brokenBounds(field)
  if (broken.length > 0 && random.chance(0.4)) return random.pick(broken)
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

/** Values of the right type, one beyond each bound that the field has. */
function brokenBounds(field: Field): readonly JsonValue[] {
  const form = textFormOf(field)
  if (form !== undefined) return form.bad
  if (field.enum !== undefined) return [field.type === 'string' ? 'blue' : 99]
  const { minLength = 0, maxLength, minimum, maximum, minItems = 0, maxItems } = field
  const broken: JsonValue[] = []
  if (minLength > 0) broken.push('🚕'.repeat(minLength - 1))
  if (maxLength !== undefined) broken.push('🚕'.repeat(maxLength + 1))
  if (minimum !== undefined) broken.push(minimum - 1)
  if (maximum !== undefined) broken.push(maximum + 1)
  if (minItems > 0) broken.push(Array.from({ length: minItems - 1 }, () => 0))
  if (maxItems !== undefined) broken.push(Array.from({ length: maxItems + 1 }, () => 0))
  return broken
}
