import type { Field, FieldMap, JsonObject, JsonValue } from '@farebox/protocol/fields/field'

/** An input that is valid except for one field. */
export interface Breakage {
  readonly kind: 'missing' | 'null' | 'wrong type' | 'out of bounds'
  readonly field: string
  readonly input: JsonObject
}

/** No text longer than this is generated: no caller exceeds so high a limit by accident. */
const MAX_MADE_CHARACTERS = 100_000

/** Returns every way to break a valid input in one place that follows from its schema. */
export function breakages(fields: FieldMap, valid: JsonObject): readonly Breakage[] {
  return Object.entries(fields).flatMap(([name, field]) => {
    const { [name]: _, ...others } = valid
    const put = (kind: Breakage['kind'], value: JsonValue): Breakage => ({
      kind,
      field: name,
      input: { ...valid, [name]: value },
    })
    return [
      ...(field.required === true && field.default === undefined
        ? [{ kind: 'missing', field: name, input: others } as const]
        : []),
      put('null', null),
      put('wrong type', field.type === 'object' ? [] : {}),
      ...outOfBounds(field).map(value => put('out of bounds', value)),
    ]
  })
}

/** Values of the correct type that violate a constraint. */
function outOfBounds(field: Field): readonly JsonValue[] {
  const { minLength = 0, maxLength, minimum, maximum } = field
  switch (field.type) {
    case 'string':
      return [
        ...(minLength > 0 && minLength < MAX_MADE_CHARACTERS ? ['x'.repeat(minLength - 1)] : []),
        ...(maxLength !== undefined && maxLength < MAX_MADE_CHARACTERS ? ['x'.repeat(maxLength + 1)] : []),
        ...(field.enum === undefined ? [] : [`${field.enum.join('')}-none-of-these`]),
      ]
    case 'number':
    case 'integer':
      return [
        ...(minimum === undefined ? [] : [minimum - 1]),
        ...(maximum === undefined ? [] : [maximum + 1]),
      ]
    case 'array':
      return field.minItems !== undefined && field.minItems > 0 ? [[]] : []
    case 'boolean':
    case 'object':
      return []
  }
}
