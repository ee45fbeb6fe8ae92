import { isObject } from '../guards/json.ts'
import { refuseName } from './name-rule.ts'
import { startDeclarationCheck, type DeclarationCheck } from './declaration-check.ts'
import type { Fault, Problem } from '../problems/problem.ts'
import { unbracket } from './rule.ts'
import {
  MAX_DECLARATION_CHECK_STEPS,
  MAX_DECLARATION_PROBLEMS,
  MAX_FIELD_DEPTH,
  MAX_FIELD_NAME_CHARACTERS,
  MAX_SCHEMA_FIELDS,
} from '../limits.ts'
import { checkKeywords } from './check-keywords.ts'
import { checkType } from './check-type.ts'
import { countCodePoints } from '../fields/code-points.ts'
import { count, describeValue, quoteText } from '../fields/describe-value.ts'
import { FIELD_KEYWORDS, type Field, type JsonObject, type JsonValue, type Side } from '../fields/field.ts'
import { foreignKeyword } from './foreign-keywords.ts'
import { keywordRule } from './keyword-rules.ts'
import { copyPlainJson, startCheckRun } from '../fields/plain-json.ts'

/**
 * Checks a schema found in a declaration against D18: returns all its problems, in declared order, each with the path from
 * the root, what would be right and how to fix it. Takes any value and never throws.
 *
 * @param value the value found at `path`; when no problem is returned, it is a `FieldMap`
 * @param path where it was found, the start of every path in the result
 * @param options.whole the check of the declaration it is part of, whose budget it shares; default: a new one
 * @example
 * ```ts
 * import { checkFields } from '@farebox/protocol/field-rules/check-fields'
 * import { formatProblem } from '@farebox/protocol/problems/problem'
 *
 * const fields = { text: { type: 'string', minlength: 1 } }
 * for (const problem of checkFields(fields, ['input_schema'], { side: 'input' }))
 *   console.log(formatProblem(problem), problem.fix)
 * // input_schema.text.minlength: unknown keyword "minlength", did you mean "minLength"? rename it to "minLength"
 * ```
 */
export function checkFields(
  value: unknown,
  path: Problem['path'],
  options: { readonly side: Side; readonly whole?: DeclarationCheck },
): Problem[] {
  const whole = options.whole ?? startDeclarationCheck()
  const run = startCheckRun()
  const fields = copyPlainJson(value, run, 0)
  if (fields === undefined) {
    const fix = 'write plain JSON, and nest it less'
    return [{ path: [...path, ...run.path.toReversed()], reason: run.reason, fix }]
  }
  const walk: Walk = { side: options.side, fieldsLeft: MAX_SCHEMA_FIELDS, whole, problems: [] }
  checkMap(fields, path, 1, walk)
  if (walk.fieldsLeft >= 0) return walk.problems
  const reason = `must hold at most ${count(MAX_SCHEMA_FIELDS, 'field')}, nested ones included`
  const fix = `split the capability in several of at most ${MAX_SCHEMA_FIELDS} fields each`
  return [{ path, reason, fix }, ...walk.problems]
}

interface Walk {
  readonly side: Side
  /** Below zero: the walk is over. */
  fieldsLeft: number
  readonly whole: DeclarationCheck
  readonly problems: Problem[]
}

/** Is the check over, because of too many fields or enough problems? */
function isOver({ fieldsLeft, whole }: Walk): boolean {
  return fieldsLeft < 0 || whole.stepsLeft < 0 || whole.problemsLeft <= 0
}

function report(walk: Walk, problem: Problem): void {
  walk.problems.push(problem)
  walk.whole.problemsLeft -= 1
}

function checkMap(value: JsonValue, path: Problem['path'], depth: number, walk: Walk): void {
  const fault = checkMapShape(value, walk.side)
  if (fault !== undefined) report(walk, { path, ...fault })
  if (fault !== undefined || !isObject(value)) return
  for (const [name, field] of Object.entries(value)) {
    if (isOver(walk)) return
    const nameFault = checkName(name, path)
    if (nameFault !== undefined) report(walk, nameFault)
    checkField(field, [...path, name.slice(0, MAX_FIELD_NAME_CHARACTERS)], depth, walk)
  }
}

function checkName(name: string, path: Problem['path']): Problem | undefined {
  if (name === '') return { path, reason: 'holds a field without a name', fix: NAME_IT }
  const length = countCodePoints(name)
  if (length > MAX_FIELD_NAME_CHARACTERS) {
    const reason = `holds a field whose name has ${length} characters; at most ${MAX_FIELD_NAME_CHARACTERS} are allowed`
    return { path, reason, fix: `shorten ${quoteText(name)}` }
  }
  const fault = refuseName(name, 'field')
  return fault && { path: [...path, name], ...fault }
}

const NAME_IT = 'give the field "" a name, such as "text"'

function checkMapShape(value: JsonValue, side: Side): Fault | undefined {
  if (!isObject(value)) {
    const fix = unbracket(value) ?? 'write { "text": { "type": "string" } }, with a name for each field'
    return { reason: `must be an object of fields, got ${describeValue(value)}`, fix }
  }
  if (value['type'] !== 'object' || !isObject(value['properties'])) return undefined
  const names = Object.keys(value['properties'])
  const fields = names.slice(0, MAX_SHOWN_NAMES).map(name => `${quoteText(name)}: { … }`)
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
  walk.whole.stepsLeft -= STEPS_PER_FIELD
  if (walk.fieldsLeft < 0) return
  if (walk.whole.stepsLeft < 0) {
    report(walk, { path, ...OUT_OF_STEPS })
    return
  }
  if (depth > MAX_FIELD_DEPTH) {
    const reason = `must not be nested deeper than ${count(MAX_FIELD_DEPTH, 'level')}`
    report(walk, { path, reason, fix: 'flatten it: declare the inner fields further out' })
    return
  }
  const fault = checkType(value)
  if (fault !== undefined) {
    const { inType, ...rest } = fault
    report(walk, { path: inType === true ? [...path, 'type'] : path, ...rest })
    return
  }
  const problemsBefore = walk.problems.length
  // `checkType` found no problem: an object with a known `type`; its keywords are checked next.
  const field = value as JsonObject & Pick<Field, 'type'>
  for (const [keyword, setting] of Object.entries(field)) {
    if (isOver(walk)) return
    checkSetting(field, keyword, setting, { path: [...path, keyword], depth, walk })
  }
  if (walk.problems.length > problemsBefore || isOver(walk)) return
  const { problems, warnings } = checkKeywords(field, walk.side, walk.whole)
  for (const problem of problems) report(walk, { ...problem, path: [...path, ...problem.path] })
  if (walk.whole.stepsLeft < 0) report(walk, { path, ...OUT_OF_STEPS })
  for (const warning of warnings) warn(walk, { ...warning, path: [...path, ...warning.path] })
}

function warn({ whole }: Walk, warning: Problem): void {
  if (whole.warnings.length < MAX_DECLARATION_PROBLEMS) whole.warnings.push(warning)
}

/** The cost of a field, its keywords and everything built from it: some microseconds. */
const STEPS_PER_FIELD = 500

const OUT_OF_STEPS = {
  reason: `is where the check of the declaration reached its limit of ${MAX_DECLARATION_CHECK_STEPS} steps`,
  fix: 'declare fewer fields and fewer values in "enum", "default" and "examples", or split the agent in two',
} as const

function checkSetting(
  field: JsonObject & Pick<Field, 'type'>,
  keyword: string,
  setting: JsonValue,
  { path, depth, walk }: { readonly path: Problem['path']; readonly depth: number; readonly walk: Walk },
): void {
  if (!FIELD_KEYWORDS[field.type].includes(keyword)) {
    report(walk, { path, ...foreignKeyword(keyword, field), at: 'key' })
  } else if (keyword === 'items') {
    checkField(setting, path, depth + 1, walk)
  } else if (keyword === 'properties') {
    checkMap(setting, path, depth + 1, walk)
  } else {
    const fault = keywordRule(keyword)?.check(setting)
    if (fault !== undefined) report(walk, { path, ...fault })
  }
}
