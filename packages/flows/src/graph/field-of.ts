import type { Field } from '@farebox/protocol/fields/field'
import { MAX_SCHEMA_FIELDS } from '@farebox/protocol/limits'

/** The type of a port's values; `any` when it is only known during the run. */
export type PortType = Field | 'any'

/**
 * A field whose only value is this one; `any` for null, which the field language does not have. For an object with very many
 * properties only the type.
 */
export function fieldOf(value: unknown): PortType {
  return fieldWithin(value, { left: MAX_SCHEMA_FIELDS })
}

function fieldWithin(value: unknown, fields: { left: number }): PortType {
  fields.left -= 1
  switch (typeof value) {
    case 'string':
      return { type: 'string', enum: [value] }
    case 'boolean':
      return { type: 'boolean', enum: [value] }
    case 'number':
      return { type: typeOfNumber(value), enum: [value] }
    case 'object':
      if (value === null) return 'any'
      return Array.isArray(value) ? fieldOfArray(value, fields) : fieldOfObject(value, fields)
    default:
      return 'any'
  }
}

function fieldOfArray(value: readonly unknown[], fields: { left: number }): Field {
  const items = value.length === 1 ? fieldWithin(value[0], fields) : commonType(value)
  return {
    type: 'array',
    ...(items !== 'any' && { items }),
    minItems: value.length,
    maxItems: value.length,
  }
}

function fieldOfObject(value: object, fields: { left: number }): Field {
  const properties: [string, Field][] = []
  for (const [name, property] of Object.entries(value)) {
    const field = fields.left > 0 ? fieldWithin(property, fields) : 'any'
    if (field === 'any') return { type: 'object' }
    properties.push([name, field])
  }
  return { type: 'object', properties: Object.fromEntries(properties) }
}

/** The common type of all values. */
function commonType(values: readonly unknown[]): PortType {
  const [type, ...others] = new Set(values.map(typeOfJson))
  return type === undefined || others.length > 0 ? 'any' : { type }
}

function typeOfJson(value: unknown): Field['type'] | undefined {
  switch (typeof value) {
    case 'string':
      return 'string'
    case 'boolean':
      return 'boolean'
    case 'number':
      return typeOfNumber(value)
    case 'object':
      return value === null ? undefined : Array.isArray(value) ? 'array' : 'object'
    default:
      return undefined
  }
}

function typeOfNumber(value: number): 'integer' | 'number' {
  return Number.isSafeInteger(value) ? 'integer' : 'number'
}
