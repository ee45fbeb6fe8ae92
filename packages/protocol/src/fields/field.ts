/**
 * The field language: how a capability declares its inputs and outputs (interface, "Input field" and "Output field"; D18).
 * It is a small subset of JSON Schema with one difference: `required` is a boolean on the field itself, not a list on its
 * parent.
 */
export type FieldType = 'string' | 'number' | 'integer' | 'boolean' | 'array' | 'object'

/** The side of a field, which determines the meaning of an absent `required`. */
export type Side = 'input' | 'output'

/** Any value that JSON can carry. */
export type JsonValue = string | number | boolean | null | JsonValue[] | { [key: string]: JsonValue }

/** A JSON object, as read from the wire. */
export type JsonObject = { [key: string]: JsonValue }

/** One declared field. {@link FIELD_KEYWORDS} lists the keywords of each type. */
export interface Field {
  readonly type: FieldType
  /** Input: absent means optional. Output: absent means required (D20). */
  readonly required?: boolean
  readonly title?: string
  readonly description?: string
  readonly examples?: readonly JsonValue[]
  /** Passed to the handler when an input field is absent. */
  readonly default?: JsonValue
  readonly enum?: readonly JsonValue[]
  /** Strings, in Unicode code points. */
  readonly minLength?: number
  readonly maxLength?: number
  /** Strings: at most 256 characters, matched by a linear-time engine, unanchored as in JSON Schema. */
  readonly pattern?: string
  readonly format?: string
  /** Numbers and integers, both bounds inclusive. */
  readonly minimum?: number
  readonly maximum?: number
  /** Arrays: the declaration of every item. */
  readonly items?: Field
  readonly minItems?: number
  readonly maxItems?: number
  /** Objects: the declared properties; a declared object is closed, like the input itself. */
  readonly properties?: FieldMap
}

/**
 * Field name to field, in declared order: an `input_schema` or an `output_schema`.
 *
 * @example
 * ```ts
 * import type { FieldMap } from '@farebox/protocol/fields/field'
 *
 * export const inputSchema = {
 *   text: { type: 'string', required: true, maxLength: 10_000 },
 *   language: { type: 'string', enum: ['de', 'en'], default: 'en' },
 * } as const satisfies FieldMap
 * ```
 */
export type FieldMap = { readonly [name: string]: Field }

const ANY_TYPE = ['type', 'required', 'title', 'description', 'examples', 'default', 'enum'] as const

/** The allowed keywords of each type (D18). */
export const FIELD_KEYWORDS: { readonly [type in FieldType]: readonly string[] } = {
  string: [...ANY_TYPE, 'minLength', 'maxLength', 'pattern', 'format'],
  number: [...ANY_TYPE, 'minimum', 'maximum'],
  integer: [...ANY_TYPE, 'minimum', 'maximum'],
  boolean: ANY_TYPE,
  array: [...ANY_TYPE, 'items', 'minItems', 'maxItems'],
  object: [...ANY_TYPE, 'properties'],
}

/** Is the word a {@link FieldType}? */
export function isFieldType(word: string): word is FieldType {
  return Object.hasOwn(FIELD_KEYWORDS, word)
}
