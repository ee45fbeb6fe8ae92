import type { Fault } from '../problems/problem.ts'
import { nearest } from '../problems/nearest.ts'
import { quoteText } from '../fields/describe-value.ts'
import { FIELD_KEYWORDS, type Field, type FieldType, type JsonObject } from '../fields/field.ts'
import { shortJson } from './inline-json.ts'

/** Why the field may not have this keyword, and what to write instead. */
export function foreignKeyword(keyword: string, field: JsonObject & Pick<Field, 'type'>): Fault {
  const { type } = field
  const owners = Object.entries(FIELD_KEYWORDS)
    .filter(([, keywords]) => keywords.includes(keyword))
    .map(([owner]) => owner)
  if (owners.length > 0) {
    return {
      reason: `keyword "${keyword}" is for the type ${owners.join(' or ')}, this field is of type ${type}`,
      fix: otherType(keyword, type, owners),
    }
  }
  const unsupported = UNSUPPORTED.get(keyword)
  if (unsupported === undefined) return unknownKeyword(keyword, field)
  const [instead, fix] = unsupported
  const value = keyword === 'const' || keyword === 'example' ? shortJson(field[keyword] ?? null) : undefined
  return {
    reason: `keyword "${keyword}" of JSON Schema is not supported${instead === '' ? '' : `: ${instead}`}`,
    fix: value === undefined ? fix : `write "${keyword === 'const' ? 'enum' : 'examples'}": [${value}]`,
  }
}

function otherType(keyword: string, type: FieldType, owners: readonly string[]): string {
  const isLow = keyword.startsWith('min')
  const own = FIELD_KEYWORDS[type].find(known => known.startsWith(isLow ? 'min' : 'max'))
  const isBound = isLow || keyword.startsWith('max')
  const change = `make the type ${owners.map(owner => `"${owner}"`).join(' or ')}`
  return isBound && own !== undefined ? `write "${own}" instead, or ${change}` : `remove it, or ${change}`
}

function unknownKeyword(keyword: string, field: JsonObject & Pick<Field, 'type'>): Fault {
  const own = FIELD_KEYWORDS[field.type]
  const guess = nearest(keyword, own) ?? nearest(keyword, Object.values(FIELD_KEYWORDS).flat())
  const hint = guess === undefined ? `, known are ${own.join(', ')}` : `, did you mean "${guess}"?`
  const reason = `unknown keyword ${quoteText(keyword)}${hint}`
  const meant =
    guess ?? own.find(known => OTHER_LANGUAGES.get(keyword.toLowerCase())?.includes(known) === true)
  if (meant !== undefined && Object.hasOwn(field, meant))
    return { reason, fix: `remove it: "${meant}" is already there` }
  return { reason, fix: meant === undefined ? 'remove it' : `rename it to "${meant}"` }
}

/**
 * Names that other form and schema languages use for keywords of the field language; keywords of the field's type are
 * proposed.
 */
const OTHER_LANGUAGES: ReadonlyMap<string, readonly string[]> = new Map([
  ['min', ['minLength', 'minimum', 'minItems']],
  ['max', ['maxLength', 'maximum', 'maxItems']],
  ['regex', ['pattern']],
  ['regexp', ['pattern']],
  ['match', ['pattern']],
  ['options', ['enum']],
  ['choices', ['enum']],
  ['values', ['enum']],
  ['allowed', ['enum']],
  ['label', ['title']],
  ['name', ['title']],
  ['placeholder', ['description']],
  ['help', ['description']],
  ['hint', ['description']],
  ['fields', ['properties']],
  ['element', ['items']],
  ['of', ['items']],
])

const REMOVE = 'remove it'
const WRITE_OUT = 'write the field out where it stands'
const IN_HANDLER = 'remove it, and check this in the handler'
const ONE_TYPE = 'remove it, and write one "type"'

/**
 * Keywords of JSON Schema and OpenAPI that D18 excludes: the equivalent in the field language, if there is one, and a fix.
 */
const UNSUPPORTED: ReadonlyMap<string, readonly [instead: string, fix: string]> = new Map([
  ['$ref', ['write the field out', WRITE_OUT]],
  ['$defs', ['write the field out', WRITE_OUT]],
  ['definitions', ['write the field out', WRITE_OUT]],
  ['$id', ['', REMOVE]],
  ['$schema', ['', REMOVE]],
  ['$anchor', ['', REMOVE]],
  ['$comment', ['use "description"', 'rename it to "description"']],
  ['allOf', ['', ONE_TYPE]],
  ['anyOf', ['', ONE_TYPE]],
  ['oneOf', ['', ONE_TYPE]],
  ['not', ['', IN_HANDLER]],
  ['if', ['', IN_HANDLER]],
  ['then', ['', IN_HANDLER]],
  ['else', ['', IN_HANDLER]],
  ['const', ['use "enum" with one value', 'write "enum": [ … ] with that value']],
  ['exclusiveMinimum', ['use "minimum"', 'write "minimum" with the least value that is right']],
  ['exclusiveMaximum', ['use "maximum"', 'write "maximum" with the greatest value that is right']],
  [
    'multipleOf',
    ['use the type "integer" where whole numbers are meant', 'write "type": "integer", or remove it'],
  ],
  ['prefixItems', ['', 'write one "items" for all of them']],
  ['additionalItems', ['', REMOVE]],
  ['unevaluatedItems', ['', REMOVE]],
  ['uniqueItems', ['', IN_HANDLER]],
  ['contains', ['', IN_HANDLER]],
  ['minContains', ['', IN_HANDLER]],
  ['maxContains', ['', IN_HANDLER]],
  ['additionalProperties', ['undeclared properties are always left out', REMOVE]],
  ['unevaluatedProperties', ['undeclared properties are always left out', REMOVE]],
  ['patternProperties', ['', IN_HANDLER]],
  ['propertyNames', ['', IN_HANDLER]],
  ['minProperties', ['', IN_HANDLER]],
  ['maxProperties', ['', IN_HANDLER]],
  ['dependentRequired', ['', IN_HANDLER]],
  ['dependentSchemas', ['', IN_HANDLER]],
  ['dependencies', ['', IN_HANDLER]],
  ['contentEncoding', ['', 'remove it, and say it in "description"']],
  ['contentMediaType', ['', 'remove it, and say it in "description"']],
  ['contentSchema', ['', REMOVE]],
  ['readOnly', ['', REMOVE]],
  ['writeOnly', ['', REMOVE]],
  ['deprecated', ['', 'remove it, and say it in "description"']],
  ['nullable', ['leave an optional field out instead of sending null', REMOVE]],
  ['example', ['use "examples" with an array', 'write "examples": [ … ]']],
])
