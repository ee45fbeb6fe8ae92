import type { Field, FieldMap, JsonValue } from 'farebox'
import { textFormOf } from './text-forms.ts'

/** One field of a valid input made wrong: `value` is sent instead of it; undefined: the field is omitted. */
export interface InputSpoil {
  readonly field: string
  readonly value: JsonValue | undefined
}

/** Every way to make one field of an input invalid that no coercion repairs (D19). */
export function listInputSpoils(fields: FieldMap): readonly InputSpoil[] {
  return Object.entries(fields).flatMap(([name, field]) => [
    ...(field.required === true ? [{ field: name, value: undefined }] : []),
    ...[...brokenBounds(field), ...WRONG[field.type]].map(value => ({ field: name, value })),
  ])
}

const WRONG: { readonly [type in Field['type']]: readonly JsonValue[] } = {
  string: [null, {}, [], ['text']],
  number: [null, '', ' ', 'abc', '1,5', '0x10', 'Infinity', '01', '1e400', true, [], [1], {}],
  integer: [null, 1.5, '1.5', 2 ** 53, '9007199254740993', true, [], {}],
  boolean: [null, 0, 1, 'yes', 'TRUE', '', [], {}],
  array: [null, 'a', 1, {}, { length: 1 }],
  object: [null, 'a', 1, true, []],
}

/** Values of the right type, one beyond each bound of the field. */
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
