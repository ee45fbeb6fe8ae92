import { nameSchema } from './name-rule.ts'
import type { Rule } from './rule.ts'
import { MAX_FIELD_NAME_CHARACTERS, MAX_SCHEMA_FIELDS } from '../limits.ts'
import { checkFields } from './check-fields.ts'
import { FIELD_KEYWORDS, isFieldType, type FieldType, type JsonObject, type Side } from '../fields/field.ts'
import { keywordRule } from './keyword-rules.ts'

/** The rule of an `input_schema` or `output_schema` (D18), for the rules of a declaration. */
export function fieldsRule(side: Side, example: JsonObject): Rule {
  return {
    check: (value, path, whole) => checkFields(value, path, { side, whole }),
    // The type is present for editors, which use it first.
    schema: { type: 'object', allOf: [{ $ref: '#/definitions/fields' }], examples: [example] },
    example,
  }
}

/**
 * The field language in JSON Schema (draft-07), for use under `definitions`: `fields`, a map of fields; `field`, any field;
 * and one definition for each type, with its keywords and no others. Which of these applies depends on `type`, so that an
 * editor proposes only the keywords of the type.
 */
export function fieldDefinitions(): JsonObject {
  const types = Object.keys(FIELD_KEYWORDS).filter(isFieldType)
  return {
    fields: {
      type: 'object',
      maxProperties: MAX_SCHEMA_FIELDS,
      propertyNames: nameSchema(MAX_FIELD_NAME_CHARACTERS),
      additionalProperties: { $ref: '#/definitions/field' },
    },
    field: {
      type: 'object',
      properties: { type: { description: keywordRule('type')?.description ?? '', enum: [...types] } },
      required: ['type'],
      allOf: types.map(type => ({
        if: { properties: { type: { const: type } }, required: ['type'] },
        // oxlint-disable-next-line unicorn/no-thenable -- the keyword of JSON Schema
        then: { $ref: `#/definitions/${type}` },
      })),
    },
    ...Object.fromEntries(types.map(type => [type, typeSchema(type)])),
  }
}

function typeSchema(type: FieldType): JsonObject {
  const keywords = FIELD_KEYWORDS[type].map((keyword): [string, JsonObject] => {
    const rule = keywordRule(keyword)
    if (rule === undefined) throw new TypeError(`the keyword ${keyword} has no rule`)
    return [keyword, { description: rule.description, ...rule.schema(type) }]
  })
  return { type: 'object', properties: Object.fromEntries(keywords), additionalProperties: false }
}
