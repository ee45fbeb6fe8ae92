import type { Field, FieldMap, JsonObject, JsonValue } from '@farebox/protocol/fields/field'

/**
 * The input of a call from code: the values of the form, with an example for each required field that is empty.
 *
 * @param sample a sample input of the capability; undefined until the module that generates it is loaded
 */
export function codeInput(fields: FieldMap, typed: JsonObject, sample: JsonObject | undefined): JsonObject {
  const examples = sample ?? examplesOf(fields)
  const names = [...Object.keys(fields), ...Object.keys(typed)]
  const value: { [name: string]: JsonValue } = {}
  for (const name of new Set(names)) {
    const given = Object.hasOwn(typed, name) ? typed : examples
    if (Object.hasOwn(given, name)) Object.defineProperty(value, name, { ...PLAIN, value: given[name] })
  }
  return value
}

/** Property attributes for `defineProperty`, because a field may be called `__proto__`. */
const PLAIN = { configurable: true, enumerable: true, writable: true }

/** For each required field its declared example, or else a value of its type. */
function examplesOf(fields: FieldMap): JsonObject {
  const required = Object.entries(fields).filter(([, field]) => field.required === true)
  return Object.fromEntries(required.map(([name, field]) => [name, exampleOf(field)]))
}

function exampleOf(field: Field): JsonValue {
  const declared = field.examples?.[0] ?? field.default ?? field.enum?.[0]
  if (declared !== undefined) return declared
  switch (field.type) {
    case 'string':
      return 'text'
    case 'number':
    case 'integer':
      return field.minimum ?? field.maximum ?? 1
    case 'boolean':
      return true
    case 'array':
      return []
    case 'object':
      return examplesOf(field.properties ?? {})
  }
}
