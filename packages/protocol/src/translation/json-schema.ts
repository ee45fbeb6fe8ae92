import type { Field, FieldMap, JsonObject, JsonValue, Side } from '../fields/field.ts'

/**
 * Converts a map of fields to JSON Schema 2020-12, for tools that support it. The built-in check accepts everything that the
 * schema accepts, except integers beyond 2^53 − 1 and texts for which engines disagree about white space (`\s`). The schema
 * does not express coercion and the removal of undeclared fields, which the check also does for callers.
 *
 * A `pattern` that a JavaScript engine would not compile is put into a `$comment` instead.
 *
 * @example
 * ```ts
 * import { toJsonSchema } from '@farebox/protocol/translation/json-schema'
 *
 * console.log(toJsonSchema({ text: { type: 'string', required: true } }, 'input'))
 * // { $schema: …, type: 'object', properties: { text: { type: 'string' } }, required: ['text'], … }
 * ```
 */
export function toJsonSchema(fields: FieldMap, side: Side): JsonObject {
  return { $schema: 'https://json-schema.org/draft/2020-12/schema', ...objectSchema(fields, side) }
}

function objectSchema(fields: FieldMap, side: Side): JsonObject {
  const entries = Object.entries(fields)
  const isRequired = (field: Field) => (side === 'input' ? field.required === true : field.required !== false)
  return {
    type: 'object',
    properties: Object.fromEntries(entries.map(([name, field]) => [name, fieldSchema(field, side)])),
    required: entries.filter(([, field]) => isRequired(field)).map(([name]) => name),
    additionalProperties: false,
  }
}

function fieldSchema(field: Field, side: Side): JsonObject {
  const schema: JsonObject = {}
  for (const keyword of SAME_IN_JSON_SCHEMA) {
    const setting = field[keyword]
    if (setting !== undefined) schema[keyword] = copy(setting)
  }
  if (field.pattern !== undefined) Object.assign(schema, patternSchema(field.pattern))
  if (field.items !== undefined) schema['items'] = fieldSchema(field.items, side)
  if (field.properties !== undefined) Object.assign(schema, objectSchema(field.properties, side))
  return schema
}

const SAME_IN_JSON_SCHEMA = [
  'type',
  'title',
  'description',
  'examples',
  'default',
  'enum',
  'minLength',
  'maxLength',
  'format',
  'minimum',
  'maximum',
  'minItems',
  'maxItems',
] as const

function copy(setting: JsonValue | readonly JsonValue[]): JsonValue {
  return JSON.parse(JSON.stringify(setting))
}

/** The pattern is only compiled, never run: compiling a third party's pattern is safe, matching it is not (D18). */
function patternSchema(source: string): JsonObject {
  const comment = { $comment: `pattern in RE2 syntax: ${source}` }
  if (POSIX_CLASS.test(source)) return comment
  try {
    return { pattern: new RegExp(source, 'u').source }
  } catch {
    return comment
  }
}

/** The only syntax that both engines compile with different meanings: JavaScript reads `[:alpha:]` as six characters. */
const POSIX_CLASS = /\[:\^?\w+:\]/
