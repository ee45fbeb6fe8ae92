import type { Problem } from '../declaration/problem.ts'
import { nearest } from '../declaration/nearest.ts'
import { compileValue, DECLARED_INPUT_RULES, OUTPUT_RULES } from './compile-value.ts'
import { quote } from './describe-value.ts'
import { canonicalJson } from './equal-json.ts'
import type { Field, JsonValue, Side } from './field.ts'
import { FORMATS, isFormat } from './formats.ts'
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
    return [{ path: [low], reason: `must not be above ${high}, got ${from} and ${to}` }]
  })
}

function checkPattern({ pattern }: Field): Problem[] {
  if (pattern === undefined) return []
  try {
    compilePattern(pattern)
    return []
  } catch (error) {
    return [{ path: ['pattern'], reason: error instanceof Error ? error.message : String(error) }]
  }
}

function checkFormat({ format }: Field): Problem[] {
  if (format === undefined || isFormat(format)) return []
  const guess = nearest(format, FORMATS)
  const hint = guess === undefined ? `, known are ${FORMATS.join(', ')}` : `, did you mean "${guess}"?`
  return [{ path: ['format'], reason: `unknown format ${quote(format)}${hint}` }]
}

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
  const check = compileValue(field, side === 'input' ? DECLARED_INPUT_RULES : OUTPUT_RULES, 0)
  return values.flatMap((value, index) => {
    const run = startRun()
    if (check(value, run) !== undefined) return []
    const start = keyword === 'default' ? [keyword] : [keyword, index]
    return [{ path: [...start, ...run.steps.toReversed()], reason: run.reason }]
  })
}

function checkUnique(values: readonly JsonValue[]): Problem[] {
  const seen = new Set<string>()
  return values.flatMap((value, index) => {
    const key = canonicalJson(value)
    if (!seen.has(key)) {
      seen.add(key)
      return []
    }
    return [{ path: ['enum', index], reason: 'is there twice' }]
  })
}
