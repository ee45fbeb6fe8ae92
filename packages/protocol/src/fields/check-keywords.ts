import type { Problem } from '../declaration/problem.ts'
import { nearest } from '../declaration/nearest.ts'
import { coerce } from './coerce.ts'
import { compileValue, DECLARED_INPUT_RULES, OUTPUT_RULES } from './compile-value.ts'
import { quote } from './describe-value.ts'
import { canonicalJson } from './equal-json.ts'
import type { Field, JsonValue, Side } from './field.ts'
import { FORMATS, isFormat } from './formats.ts'
import { shortJson } from './inline-json.ts'
import { mendPattern } from './mend-pattern.ts'
import { compilePattern } from './pattern.ts'
import { startRun } from './plain-json.ts'

/**
 * What is wrong between the keywords of one field, each of which is of the right shape by itself: bounds that
 * cross, a pattern that does not compile, an unknown format, values that the field would refuse.
 *
 * @returns problems with paths that start at the field
 */
export function checkKeywords(field: Field, side: Side): Problem[] {
  const problems = [...checkBounds(field), ...checkPattern(field), ...checkFormat(field)]
  return problems.length > 0 ? problems : checkValues(field, side)
}

function checkBounds(field: Field): Problem[] {
  const pairs = [
    ['minLength', 'maxLength'],
    ['minimum', 'maximum'],
    ['minItems', 'maxItems'],
  ] as const
  return pairs.flatMap(([low, high]) => {
    const [from, to] = [field[low], field[high]]
    if (from === undefined || to === undefined || from <= to) return []
    const reason = `must not be above ${high}, got ${from} and ${to}`
    return [
      { path: [low], reason, fix: `raise ${high} to ${from} or more, or lower ${low} to ${to} or less` },
    ]
  })
}

function checkPattern({ pattern }: Field): Problem[] {
  if (pattern === undefined) return []
  try {
    compilePattern(pattern)
    return []
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return [{ path: ['pattern'], reason, fix: mendPattern(pattern, reason) }]
  }
}

function checkFormat({ format }: Field): Problem[] {
  if (format === undefined || isFormat(format)) return []
  const guess = nearest(format, FORMATS) ?? OTHER_LANGUAGES.get(format.toLowerCase())
  const hint = guess === undefined ? `, known are ${FORMATS.join(', ')}` : `, did you mean "${guess}"?`
  const fix = guess === undefined ? 'write one of them, use "pattern", or remove it' : `write "${guess}"`
  return [{ path: ['format'], reason: `unknown format ${quote(format)}${hint}`, fix }]
}

const OTHER_LANGUAGES: ReadonlyMap<string, string> = new Map([
  ['url', 'uri'],
  ['link', 'uri'],
  ['datetime', 'date-time'],
  ['timestamp', 'date-time'],
  ['guid', 'uuid'],
  ['ip', 'ipv4'],
  ['domain', 'hostname'],
])

/**
 * `enum` against the rest of the field, then `default` and `examples` against all of it. Nothing is coerced.
 */
function checkValues(field: Field, side: Side): Problem[] {
  const { enum: allowed, ...rest } = field
  const problems =
    allowed === undefined ? [] : [...checkAll(rest, 'enum', allowed, side), ...checkUnique(allowed)]
  if (problems.length > 0) return problems
  if (field.default !== undefined) problems.push(...checkAll(field, 'default', [field.default], side))
  if (field.examples !== undefined) problems.push(...checkAll(field, 'examples', field.examples, side))
  return problems
}

function checkAll(
  field: Field,
  keyword: 'enum' | 'default' | 'examples',
  values: readonly JsonValue[],
  side: Side,
): Problem[] {
  const rules = side === 'input' ? DECLARED_INPUT_RULES : OUTPUT_RULES
  const check = compileValue(field, rules, 0)
  return values.flatMap((value, index) => {
    const run = startRun()
    if (check(value, run) !== undefined) return []
    const start = keyword === 'default' ? [keyword] : [keyword, index]
    const fix = run.steps.length > 0 ? CHANGE_INSIDE : mendValue(value, field)
    return [{ path: [...start, ...run.steps.toReversed()], reason: run.reason, fix }]
  })
}

const CHANGE_INSIDE = 'change the value, or what the field says of its contents'

/** The value in the field's own type where it only was written in another; else the two things that may change. */
function mendValue(value: JsonValue, field: Field): string {
  const meant = coerce(value, field.type)
  const text = meant === undefined || meant === value ? undefined : shortJson(meant)
  if (text !== undefined) return `write ${text}`
  if (meant === undefined) return `write a value of type ${field.type}, or change the type`
  const refusing = CONSTRAINTS.find(([keyword]) => {
    const alone = { type: field.type, [keyword]: field[keyword] }
    return (
      field[keyword] !== undefined &&
      compileValue(alone, DECLARED_INPUT_RULES, 0)(value, startRun()) === undefined
    )
  })
  if (refusing === undefined) return 'change the value, or what the field asks of it'
  const [keyword, change] = refusing
  return `${change}${JSON.stringify(keyword)}`
}

/** For each what may change: the value, or the keyword that refuses it. */
const CONSTRAINTS = [
  ['enum', 'write one of those, or add the value to '],
  ['minLength', 'lengthen the text, or lower '],
  ['maxLength', 'shorten the text, or raise '],
  ['pattern', 'change the text, or '],
  ['format', 'change the text, or '],
  ['minimum', 'write a greater value, or lower '],
  ['maximum', 'write a smaller value, or raise '],
  ['minItems', 'add items, or lower '],
  ['maxItems', 'remove items, or raise '],
] as const satisfies readonly (readonly [keyof Field, string])[]

function checkUnique(values: readonly JsonValue[]): Problem[] {
  const seen = new Set<string>()
  return values.flatMap((value, index) => {
    const key = canonicalJson(value)
    if (!seen.has(key)) {
      seen.add(key)
      return []
    }
    return [{ path: ['enum', index], reason: 'is there twice', fix: 'remove one of the two' }]
  })
}
