import type { JsonValue } from './field.ts'

/**
 * Returns the same text for all equal JSON values, regardless of the order of properties: equality as in JSON Schema, usable
 * as a key in sets and maps.
 */
export function comparableJson(value: JsonValue): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(comparableJson).join(',')}]`
  const properties = Object.entries(value).map(
    ([key, property]) => `${JSON.stringify(key)}:${comparableJson(property)}`,
  )
  return `{${properties.sort().join(',')}}`
}
