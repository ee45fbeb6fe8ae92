import { refuseName } from '../declaration/name-rule.ts'
import type { Fault, Problem } from '../declaration/problem.ts'
import { unbracket } from '../declaration/rule.ts'
import { checkKeywords } from './check-keywords.ts'
import { checkType } from './check-type.ts'
import { count, describeValue, quote } from './describe-value.ts'
import { FIELD_KEYWORDS, type Field, type JsonObject, type JsonValue, type Side } from './field.ts'
import { foreignKeyword } from './foreign-keywords.ts'
import { keywordRule } from './keyword-rules.ts'
import { copyPlainJson, startRun } from './plain-json.ts'

/** More fields than this, nested ones included, and no form or canvas can show them. */
export const MAX_FIELDS = 1_000

/** How deep `items` and `properties` may go; a value's depth of 64 leaves room for what is inside. */
export const MAX_FIELD_DEPTH = 16

/**
 * Checks a schema found in a declaration against D18: everything wrong with it, in declared order, each with
 * the path from the root, what would be right and how to mend it. Takes any value and never throws.
 *
 * @param value what was found at `path`; when the answer is empty, it is a `FieldMap`
 * @param path where it was found, the start of every path in the answer
 * @example
 * checkFields({ text: { type: 'string', minlength: 1 } }, ['input_schema'], { side: 'input' })
 * // [{ path: ['input_schema', 'text', 'minlength'], at: 'key', fix: 'rename it to "minLength"',
 * //    reason: 'unknown keyword "minlength", did you mean "minLength"?' }]
 */
export function checkFields(value: unknown, path: Problem['path'], options: { side: Side }): Problem[] {
  const run = startRun()
  const fields = copyPlainJson(value, run, 0)
  if (fields === undefined) {
    const fix = 'write plain JSON, and nest it less'
    return [{ path: [...path, ...run.steps.toReversed()], reason: run.reason, fix }]
  }
  const walk: Walk = { side: options.side, fieldsLeft: MAX_FIELDS, problems: [] }
  checkMap(fields, path, 1, walk)
  if (walk.fieldsLeft >= 0) return walk.problems
  const reason = `must hold at most ${count(MAX_FIELDS, 'field')}, nested ones included`
  const fix = `split the capability in several of at most ${MAX_FIELDS} fields each`
  return [...walk.problems, { path, reason, fix }]
}

interface Walk {
  readonly side: Side
  /** Below zero: the walk is over. */
  fieldsLeft: number
  readonly problems: Problem[]
}

function checkMap(value: JsonValue, path: Problem['path'], depth: number, walk: Walk): void {
  const fault = checkMapShape(value, walk.side)
  if (fault !== undefined) walk.problems.push({ path, ...fault })
  if (fault !== undefined || !isObject(value)) return
  for (const [name, field] of Object.entries(value)) {
    if (walk.fieldsLeft < 0) return
    const nameFault = refuseName(name, 'field')
    if (name === '') walk.problems.push({ path, reason: 'holds a field without a name', fix: NAME_IT })
    else if (nameFault !== undefined) walk.problems.push({ path: [...path, name], ...nameFault })
    checkField(field, [...path, name], depth, walk)
  }
}

const NAME_IT = 'give the field "" a name, such as "text"'

function checkMapShape(value: JsonValue, side: Side): Fault | undefined {
  if (!isObject(value)) {
    const fix = unbracket(value) ?? 'write { "text": { "type": "string" } }, with a name for each field'
    return { reason: `must be an object of fields, got ${describeValue(value)}`, fix }
  }
  if (value['type'] !== 'object' || !isObject(value['properties'])) return undefined
  const names = Object.keys(value['properties'])
  const fields = names.slice(0, MAX_SHOWN_NAMES).map(name => `${quote(name)}: { … }`)
  const more = names.length > MAX_SHOWN_NAMES ? ', …' : ''
  return {
    reason: 'is a JSON Schema as a whole; write only its fields here, that is, what "properties" holds',
    fix: `write { ${fields.join(', ')}${more} }, ${side === 'input' ? MARK_REQUIRED : MARK_OPTIONAL}`,
  }
}

const MAX_SHOWN_NAMES = 3
const MARK_REQUIRED = 'with "required": true within each field that must be there'
const MARK_OPTIONAL = 'with "required": false within each field that may be missing'

function checkField(value: JsonValue, path: Problem['path'], depth: number, walk: Walk): void {
  walk.fieldsLeft -= 1
  if (walk.fieldsLeft < 0) return
  if (depth > MAX_FIELD_DEPTH) {
    const reason = `must not be nested deeper than ${count(MAX_FIELD_DEPTH, 'level')}`
    walk.problems.push({ path, reason, fix: 'flatten it: declare the inner fields further out' })
    return
  }
  const fault = checkType(value)
  if (fault !== undefined) {
    const { inType, ...rest } = fault
    walk.problems.push({ path: inType === true ? [...path, 'type'] : path, ...rest })
    return
  }
  const problemsBefore = walk.problems.length
  // checkType found nothing: an object with a known `type`; its keywords are checked next.
  const field = value as JsonObject & Pick<Field, 'type'>
  for (const [keyword, setting] of Object.entries(field)) {
    checkSetting(field, keyword, setting, { path: [...path, keyword], depth, walk })
  }
  if (walk.problems.length > problemsBefore || walk.fieldsLeft < 0) return
  for (const problem of checkKeywords(field, walk.side)) {
    walk.problems.push({ ...problem, path: [...path, ...problem.path] })
  }
}

function checkSetting(
  field: JsonObject & Pick<Field, 'type'>,
  keyword: string,
  setting: JsonValue,
  { path, depth, walk }: { readonly path: Problem['path']; readonly depth: number; readonly walk: Walk },
): void {
  if (!FIELD_KEYWORDS[field.type].includes(keyword)) {
    walk.problems.push({ path, ...foreignKeyword(keyword, field), at: 'key' })
  } else if (keyword === 'items') {
    checkField(setting, path, depth + 1, walk)
  } else if (keyword === 'properties') {
    checkMap(setting, path, depth + 1, walk)
  } else {
    const fault = keywordRule(keyword)?.check(setting)
    if (fault !== undefined) walk.problems.push({ path, ...fault })
  }
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
