import type { FieldType, JsonValue } from './field.ts'

/** What can happen to values of one type in a field of another. */
export type Passage =
  /** Every value passes unchanged. */
  | 'same'
  /** Every value passes, changed. */
  | 'always'
  /** Some values pass. */
  | 'sometimes'
  /** No value passes. */
  | 'never'

/**
 * What happens to values of type `from` in an input of type `to` (D19). Only this table and {@link coerce} define that; the
 * server, the form and the canvas use them, and a test compares the two.
 */
export function passage(from: FieldType, to: FieldType): Passage {
  return from === to ? 'same' : (PASSAGES[from][to] ?? 'never')
}

const PASSAGES: { readonly [from in FieldType]: { readonly [to in FieldType]?: Passage } } = {
  string: { number: 'sometimes', integer: 'sometimes', boolean: 'sometimes' },
  number: { integer: 'sometimes', string: 'always' },
  integer: { number: 'same', string: 'always' },
  boolean: { string: 'always' },
  array: {},
  object: {},
}

/**
 * Converts the value to the type, or returns undefined when D19 defines no conversion: texts of JSON numbers become numbers,
 * `"true"` and `"false"` become booleans, numbers and booleans become text. Other values are not converted.
 *
 * @example coerce('1.5', 'number') // 1.5
 */
export function coerce(value: unknown, to: FieldType): JsonValue | undefined {
  if (isOfType(value, to)) return value
  switch (to) {
    case 'string':
      if (typeof value === 'number') return Number.isFinite(value) ? String(value) : undefined
      return typeof value === 'boolean' ? String(value) : undefined
    case 'number':
    case 'integer': {
      const number = typeof value === 'string' ? parseNumber(value) : undefined
      return number !== undefined && isOfType(number, to) ? number : undefined
    }
    case 'boolean':
      return value === 'true' ? true : value === 'false' ? false : undefined
    default:
      return undefined
  }
}

/**
 * Is the value of the type without conversion, apart from the contents of arrays and objects? An integer must be safe:
 * beyond 2^53 − 1 a parser has already changed its digits.
 */
export function isOfType(value: unknown, type: FieldType): value is JsonValue {
  switch (type) {
    case 'string':
      return typeof value === 'string'
    case 'number':
      return typeof value === 'number' && Number.isFinite(value)
    case 'integer':
      return Number.isSafeInteger(value)
    case 'boolean':
      return typeof value === 'boolean'
    case 'array':
      return Array.isArray(value)
    case 'object':
      return typeof value === 'object' && value !== null && !Array.isArray(value)
  }
}

/** The number grammar of JSON; `Number` alone would also accept `" "`, `"0x10"` and `"Infinity"`. */
const JSON_NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/

/** A text of digits only is an integer, and must be a safe one: otherwise other digits would reach the handler. */
const DIGITS = /^-?\d+$/

function parseNumber(text: string): number | undefined {
  if (!JSON_NUMBER.test(text)) return undefined
  const number = Number(text)
  const kept = DIGITS.test(text) ? Number.isSafeInteger(number) : Number.isFinite(number)
  return kept ? number : undefined
}
