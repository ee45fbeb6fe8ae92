import type { Problem } from '../declaration/problem.ts'
import { nearest } from '../declaration/nearest.ts'
import { checkKeywords } from './check-keywords.ts'
import { count, describeValue, quote } from './describe-value.ts'
import {
  FIELD_KEYWORDS,
  isFieldType,
  type Field,
  type JsonObject,
  type JsonValue,
  type Side,
} from './field.ts'
import { foreignKeyword } from './foreign-keywords.ts'
import { copyPlainJson, startRun } from './plain-json.ts'

/** More fields than this, nested ones included, and no form or canvas can show them. */
export const MAX_FIELDS = 1_000

/** How deep `items` and `properties` may go; a value's depth of 64 leaves room for what is inside. */
export const MAX_FIELD_DEPTH = 16

/**
 * Checks a schema found in a declaration against D18: everything wrong with it, in declared order, each with
 * the path from the root and what would be right. Takes any value and never throws.
 *
 * @param value what was found at `path`; when the answer is empty, it is a `FieldMap`
 * @param path where it was found, the start of every path in the answer
 * @example
 * checkFields({ text: { type: 'string', minlength: 1 } }, ['input_schema'], { side: 'input' })
 * // [{ path: ['input_schema', 'text', 'minlength'],
 * //    reason: 'unknown keyword "minlength", did you mean "minLength"?' }]
 */
export function checkFields(value: unknown, path: Problem['path'], options: { side: Side }): Problem[] {
  const run = startRun()
  const fields = copyPlainJson(value, run, 0)
  if (fields === undefined) return [{ path: [...path, ...run.steps.toReversed()], reason: run.reason }]
  const walk: Walk = { side: options.side, fieldsLeft: MAX_FIELDS, problems: [] }
  checkMap(fields, path, 1, walk)
  if (walk.fieldsLeft >= 0) return walk.problems
  return [
    ...walk.problems,
    { path, reason: `must hold at most ${count(MAX_FIELDS, 'field')}, nested ones included` },
  ]
}

interface Walk {
  readonly side: Side
  /** Below zero: the walk is over. */
  fieldsLeft: number
  readonly problems: Problem[]
}

function checkMap(value: JsonValue, path: Problem['path'], depth: number, walk: Walk): void {
  if (!isObject(value)) {
    walk.problems.push({ path, reason: `must be an object of fields, got ${describeValue(value)}` })
    return
  }
  if (value['type'] === 'object' && isObject(value['properties'])) {
    const reason = 'is a JSON Schema as a whole; write only its fields here, that is, what "properties" holds'
    walk.problems.push({ path, reason })
    return
  }
  for (const [name, field] of Object.entries(value)) {
    if (walk.fieldsLeft < 0) return
    const nameReason = checkName(name)
    if (nameReason !== undefined) {
      walk.problems.push({ path: name === '' ? path : [...path, name], reason: nameReason })
    }
    checkField(field, [...path, name], depth, walk)
  }
}

function checkName(name: string): string | undefined {
  if (name === '') return 'holds a field without a name'
  if (name === '__proto__') return 'must have another name: JavaScript takes __proto__ for something else'
  if (/^(0|[1-9]\d*)$/.test(name))
    return 'must not have a number as its name: objects put such names first (D28)'
  return undefined
}

function checkField(value: JsonValue, path: Problem['path'], depth: number, walk: Walk): void {
  walk.fieldsLeft -= 1
  if (walk.fieldsLeft < 0) return
  if (depth > MAX_FIELD_DEPTH) {
    walk.problems.push({ path, reason: `must not be nested deeper than ${count(MAX_FIELD_DEPTH, 'level')}` })
    return
  }
  const reason = checkType(value)
  if (reason !== undefined) {
    walk.problems.push({ path, reason })
    return
  }
  const problemsBefore = walk.problems.length
  // checkType answered undefined: an object with a known `type`; its keywords are checked next.
  const field = value as JsonObject & Pick<Field, 'type'>
  for (const [keyword, setting] of Object.entries(field)) {
    checkSetting(field, keyword, setting, [...path, keyword], depth, walk)
  }
  if (walk.problems.length > problemsBefore || walk.fieldsLeft < 0) return
  for (const problem of checkKeywords(field, walk.side)) {
    walk.problems.push({ path: [...path, ...problem.path], reason: problem.reason })
  }
}

function checkType(value: JsonValue): string | undefined {
  if (!isObject(value)) {
    return `must be an object such as { "type": "string" }, got ${describeValue(value)}`
  }
  const type = value['type']
  const types = Object.keys(FIELD_KEYWORDS)
  if (type === undefined) return `needs a "type", one of ${types.join(', ')}`
  if (Array.isArray(type)) return `must have one "type", got ${describeValue(type)}`
  if (typeof type === 'string' && isFieldType(type)) return undefined
  const guess = typeof type === 'string' ? nearest(type, types) : undefined
  const hint = guess === undefined ? '' : `, did you mean "${guess}"?`
  return `must have a "type" of ${types.join(', ')}, got ${describeValue(type)}${hint}`
}

function checkSetting(
  field: Pick<Field, 'type'>,
  keyword: string,
  setting: JsonValue,
  path: Problem['path'],
  depth: number,
  walk: Walk,
): void {
  if (!FIELD_KEYWORDS[field.type].includes(keyword)) {
    walk.problems.push({ path, reason: foreignKeyword(keyword, field.type) })
  } else if (keyword === 'items') {
    checkField(setting, path, depth + 1, walk)
  } else if (keyword === 'properties') {
    checkMap(setting, path, depth + 1, walk)
  } else {
    const reason = checkShape(keyword, setting)
    if (reason !== undefined) walk.problems.push({ path, reason })
  }
}

/** The shape every setting must have, whatever the rest of its field says. */
function checkShape(keyword: string, setting: JsonValue): string | undefined {
  switch (keyword) {
    case 'required':
      return checkRequired(setting)
    case 'title':
    case 'description':
    case 'pattern':
    case 'format':
      return typeof setting === 'string' ? undefined : `must be a string, got ${describeValue(setting)}`
    case 'examples':
      return Array.isArray(setting) ? undefined : `must be an array, got ${describeValue(setting)}`
    case 'enum':
      if (Array.isArray(setting) && setting.length > 0) return undefined
      return `must be an array of at least 1 value, got ${describeValue(setting)}`
    case 'minLength':
    case 'maxLength':
    case 'minItems':
    case 'maxItems':
      if (typeof setting === 'number' && Number.isSafeInteger(setting) && setting >= 0) return undefined
      return `must be a whole number of 0 or more, got ${describeValue(setting)}`
    case 'minimum':
    case 'maximum':
      return typeof setting === 'number' ? undefined : `must be a number, got ${describeValue(setting)}`
    default:
      return undefined
  }
}

function checkRequired(setting: JsonValue): string | undefined {
  if (typeof setting === 'boolean') return undefined
  if (!Array.isArray(setting)) return `must be true or false, got ${describeValue(setting)}`
  const names = setting.filter(name => typeof name === 'string').slice(0, 3)
  const whose = names.length === 0 ? 'each required property' : names.map(quote).join(', ')
  return `must be true or false: here "required" stands on the field itself, so set it on ${whose} instead of a list`
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
