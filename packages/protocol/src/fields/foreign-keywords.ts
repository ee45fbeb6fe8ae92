import { nearest } from '../declaration/nearest.ts'
import { quote } from './describe-value.ts'
import { FIELD_KEYWORDS, type FieldType } from './field.ts'

/** Why a keyword may not stand on a field of the type, and what to write instead. */
export function foreignKeyword(keyword: string, type: FieldType): string {
  const owners = Object.entries(FIELD_KEYWORDS)
    .filter(([, keywords]) => keywords.includes(keyword))
    .map(([owner]) => owner)
  if (owners.length > 0) {
    return `keyword "${keyword}" is for the type ${owners.join(' or ')}, this field is of type ${type}`
  }
  const instead = UNSUPPORTED.get(keyword)
  if (instead !== undefined) {
    return `keyword "${keyword}" of JSON Schema is not supported${instead === '' ? '' : `: ${instead}`}`
  }
  const guess =
    nearest(keyword, FIELD_KEYWORDS[type]) ?? nearest(keyword, Object.values(FIELD_KEYWORDS).flat())
  const hint =
    guess === undefined ? `, known are ${FIELD_KEYWORDS[type].join(', ')}` : `, did you mean "${guess}"?`
  return `unknown keyword ${quote(keyword)}${hint}`
}

/** What JSON Schema and OpenAPI know and D18 leaves out, with the way to say it here where there is one. */
const UNSUPPORTED: ReadonlyMap<string, string> = new Map([
  ['$ref', 'write the field out'],
  ['$defs', 'write the field out'],
  ['definitions', 'write the field out'],
  ['$id', ''],
  ['$schema', ''],
  ['$anchor', ''],
  ['$comment', 'use "description"'],
  ['allOf', ''],
  ['anyOf', ''],
  ['oneOf', ''],
  ['not', ''],
  ['if', ''],
  ['then', ''],
  ['else', ''],
  ['const', 'use "enum" with one value'],
  ['exclusiveMinimum', 'use "minimum"'],
  ['exclusiveMaximum', 'use "maximum"'],
  ['multipleOf', 'use the type "integer" where whole numbers are meant'],
  ['prefixItems', ''],
  ['additionalItems', ''],
  ['unevaluatedItems', ''],
  ['uniqueItems', ''],
  ['contains', ''],
  ['minContains', ''],
  ['maxContains', ''],
  ['additionalProperties', 'undeclared properties are always left out'],
  ['unevaluatedProperties', 'undeclared properties are always left out'],
  ['patternProperties', ''],
  ['propertyNames', ''],
  ['minProperties', ''],
  ['maxProperties', ''],
  ['dependentRequired', ''],
  ['dependentSchemas', ''],
  ['dependencies', ''],
  ['contentEncoding', ''],
  ['contentMediaType', ''],
  ['contentSchema', ''],
  ['readOnly', ''],
  ['writeOnly', ''],
  ['deprecated', ''],
  ['nullable', 'leave an optional field out instead of sending null'],
  ['example', 'use "examples" with an array'],
])
