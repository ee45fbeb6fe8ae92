import type { Fault } from '../problems/problem.ts'
import { nearest } from '../problems/nearest.ts'
import { describeValue } from '../fields/describe-value.ts'
import {
  FIELD_KEYWORDS,
  isFieldType,
  type FieldType,
  type JsonObject,
  type JsonValue,
} from '../fields/field.ts'

/** What is wrong with a field as a whole or with its `type`; undefined when its keywords can be checked. */
export function checkType(value: JsonValue): (Fault & { readonly inType?: true }) | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    const reason = `must be an object such as { "type": "string" }, got ${describeValue(value)}`
    const meant = typeof value === 'string' ? meantType(value) : undefined
    return { reason, fix: `write { "type": "${meant?.type ?? 'string'}" }` }
  }
  const { type } = value
  const types = Object.keys(FIELD_KEYWORDS).join(', ')
  if (type === undefined) {
    return { reason: `needs a "type", one of ${types}`, fix: `add "type": "${impliedType(value)}"` }
  }
  if (typeof type === 'string' && isFieldType(type)) return undefined
  if (Array.isArray(type)) {
    const first = type.find(name => typeof name === 'string' && isFieldType(name))
    const nothing = type.includes('null') ? ', and leave the field out instead of sending null' : ''
    const fix = `write one type, such as ${JSON.stringify(first ?? 'string')}${nothing}`
    return { reason: `must be one of ${types}, got ${describeValue(type)}`, fix, inType: true }
  }
  return { ...unknownType(type, types), inType: true }
}

function unknownType(type: JsonValue, types: string): Fault {
  const meant = typeof type === 'string' ? meantType(type) : undefined
  const guess = typeof type === 'string' ? nearest(type, Object.keys(FIELD_KEYWORDS)) : undefined
  const hint = guess === undefined ? '' : `, did you mean "${guess}"?`
  const fix =
    meant === undefined
      ? 'write one of them'
      : `write "${meant.type}"${meant.more === undefined ? '' : `, and ${meant.more}`}`
  return { reason: `must be one of ${types}, got ${describeValue(type)}${hint}`, fix }
}

interface MeantType {
  readonly type: FieldType
  /** An addition to the type in the fix. */
  readonly more?: string
}

/** The type that a type name of another language stands for. */
function meantType(word: string): MeantType | undefined {
  const known = OTHER_LANGUAGES.get(word.toLowerCase())
  if (known !== undefined) return known
  const guess = nearest(word, Object.keys(FIELD_KEYWORDS)) ?? word
  return isFieldType(guess) ? { type: guess } : undefined
}

const OTHER_LANGUAGES: ReadonlyMap<string, MeantType> = new Map<string, MeantType>([
  ['text', { type: 'string' }],
  ['str', { type: 'string' }],
  ['int', { type: 'integer' }],
  ['long', { type: 'integer' }],
  ['float', { type: 'number' }],
  ['double', { type: 'number' }],
  ['decimal', { type: 'number' }],
  ['bool', { type: 'boolean' }],
  ['list', { type: 'array' }],
  ['map', { type: 'object' }],
  ['dict', { type: 'object' }],
  ['json', { type: 'object' }],
  ['date', { type: 'string', more: 'add "format": "date"' }],
  ['datetime', { type: 'string', more: 'add "format": "date-time"' }],
  ['date-time', { type: 'string', more: 'add "format": "date-time"' }],
  ['email', { type: 'string', more: 'add "format": "email"' }],
  ['url', { type: 'string', more: 'add "format": "uri"' }],
  ['uri', { type: 'string', more: 'add "format": "uri"' }],
  ['uuid', { type: 'string', more: 'add "format": "uuid"' }],
  ['enum', { type: 'string', more: 'list the values in "enum"' }],
])

/** The type that the keywords of the field belong to. */
function impliedType(field: JsonObject): FieldType {
  const types = Object.keys(FIELD_KEYWORDS).filter(isFieldType)
  return (
    types.find(type =>
      Object.keys(field).some(
        keyword => FIELD_KEYWORDS[type].includes(keyword) && !FIELD_KEYWORDS.boolean.includes(keyword),
      ),
    ) ?? 'string'
  )
}
