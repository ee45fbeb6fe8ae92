import type { DeclarationCheck } from './declaration-check.ts'
import { nearest } from '../problems/nearest.ts'
import type { Problem } from '../problems/problem.ts'
import {
  MAX_DECLARATION_CHECK_STEPS,
  MAX_DECLARATION_PATTERN_INSTRUCTIONS,
  MAX_DECLARATION_PROBLEMS,
} from '../limits.ts'
import { coerce } from '../fields/coerce.ts'
import { compileValue } from '../fields/compile-value.ts'
import { quoteText } from '../fields/describe-value.ts'
import { comparableJson } from '../fields/equal-json.ts'
import type { Field, JsonValue, Side } from '../fields/field.ts'
import { FORMATS, isFormat } from '../fields/formats.ts'
import { shortJson } from './inline-json.ts'
import { fixPattern } from './fix-pattern.ts'
import { startCheckRun } from '../fields/plain-json.ts'
import { DECLARED_INPUT_RULES, OUTPUT_RULES, type Rules, type ValueCheck } from '../fields/value-rules.ts'

/**
 * Finds contradictions between the keywords of one field, each of which is valid by itself: crossing bounds, a pattern that
 * does not compile, an unknown format, values that the field would refuse.
 *
 * @param whole the check of the declaration, whose budget it uses
 * @returns paths that start at the field; the problems refuse the declaration, the warnings do not
 */
export function checkKeywords(field: Field, side: Side, whole: DeclarationCheck): CheckedKeywords {
  const problems = [...checkBounds(field), ...checkPattern(field, whole), ...checkFormat(field)]
  return problems.length > 0 ? { problems, warnings: [] } : checkValues(field, side, whole)
}

/** The result of {@link checkKeywords}. */
export interface CheckedKeywords {
  readonly problems: readonly Problem[]
  readonly warnings: readonly Problem[]
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

function checkPattern({ pattern }: Field, whole: DeclarationCheck): Problem[] {
  if (pattern === undefined) return []
  try {
    // Counted for every field with a pattern, because each is compiled later. Once the instructions are used up, which is
    // reported once, no more patterns are compiled.
    if (whole.instructionsLeft < 0) return []
    whole.instructionsLeft -= whole.compilePattern(pattern).compileCost
    return whole.instructionsLeft >= 0 ? [] : [{ path: ['pattern'], ...OUT_OF_INSTRUCTIONS }]
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return [{ path: ['pattern'], reason, fix: fixPattern(pattern, reason) }]
  }
}

const OUT_OF_INSTRUCTIONS = {
  reason: `makes the patterns of this declaration too large: together they may compile to at most ${MAX_DECLARATION_PATTERN_INSTRUCTIONS} instructions`,
  fix: 'use "format", "enum" or "maxLength" in place of patterns, or smaller repeats',
} as const

function checkFormat({ format }: Field): Problem[] {
  if (format === undefined || isFormat(format)) return []
  const guess = nearest(format, FORMATS) ?? OTHER_LANGUAGES.get(format.toLowerCase())
  const hint = guess === undefined ? `, known are ${FORMATS.join(', ')}` : `, did you mean "${guess}"?`
  const fix = guess === undefined ? 'write one of them, use "pattern", or remove it' : `write "${guess}"`
  return [{ path: ['format'], reason: `unknown format ${quoteText(format)}${hint}`, fix }]
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
 * Checks `enum` against the rest of the field, then `default` and `examples` against the whole field. Nothing is coerced. An
 * example is only an annotation for people, as in JSON Schema: one that the field would refuse causes a warning.
 */
function checkValues(field: Field, side: Side, whole: DeclarationCheck): CheckedKeywords {
  const { enum: allowed, default: fallback, examples } = field
  const { enum: _enum, ...rest } = field
  const judge = (judged: Field, keyword: 'enum' | 'default' | 'examples', values: readonly JsonValue[]) =>
    checkAll(judged, { keyword, values, side, whole })
  const wrong = allowed === undefined ? [] : [...judge(rest, 'enum', allowed), ...checkUnique(allowed)]
  if (wrong.length > 0) return { problems: wrong, warnings: [] }
  const problems = fallback === undefined ? [] : judge(field, 'default', [fallback])
  const isHeard = examples !== undefined && whole.warnings.length < MAX_DECLARATION_PROBLEMS
  return { problems, warnings: isHeard ? judge(field, 'examples', examples) : [] }
}

interface Judged {
  readonly keyword: 'enum' | 'default' | 'examples'
  readonly values: readonly JsonValue[]
  readonly side: Side
  readonly whole: DeclarationCheck
}

function checkAll(field: Field, { keyword, values, side, whole }: Judged): Problem[] {
  const isInput = side === 'input'
  const rules: Rules = {
    ...(isInput ? DECLARED_INPUT_RULES : OUTPUT_RULES),
    compilePattern: whole.compilePattern,
    built: isInput ? whole.builtInputs : whole.builtOutputs,
  }
  const check = compileValue(field, rules, 0)
  const suggestFix = createFixSuggester(field, rules)
  const problems: Problem[] = []
  for (const [index, value] of values.entries()) {
    const start = keyword === 'default' ? [keyword] : [keyword, index]
    const run = {
      ...startCheckRun(MAX_DECLARATION_CHECK_STEPS),
      stepsLeft: whole.stepsLeft - STEPS_PER_DECLARED_VALUE,
    }
    const isRight = run.stepsLeft >= 0 && check(value, run) !== undefined
    whole.stepsLeft = run.stepsLeft
    // The exhausted budget is reported by the caller, as a problem, whatever the keyword.
    if (run.stepsLeft < 0) return []
    if (isRight) continue
    const fix = run.path.length > 0 ? CHANGE_INSIDE : suggestFix(value)
    problems.push({ path: [...start, ...run.path.toReversed()], reason: run.reason, fix })
    if (problems.length === MAX_WRONG_VALUES) break
  }
  return problems
}

/** The cost of a declared value, which is checked, serialized as a key and added to a set. */
const STEPS_PER_DECLARED_VALUE = 50

/** The most reported values of one keyword: further wrong values are wrong in the same way. */
const MAX_WRONG_VALUES = 10

const CHANGE_INSIDE = 'change the value, or what the field says of its contents'

/** Steps for computing a hint; when they run out, the hint names another keyword. */
const MAX_MENDING_STEPS = 10_000

/**
 * Suggests a fix for a refused value: the value in the field's own type if it was only written in another type,
 * otherwise the two possible changes.
 */
function createFixSuggester(field: Field, rules: Rules): (value: JsonValue) => string {
  const alone = new Map<keyof Field, ValueCheck>()
  const refuses = (keyword: keyof Field, value: JsonValue): boolean => {
    if (field[keyword] === undefined) return false
    const { built: _built, ...own } = rules
    const check = alone.get(keyword) ?? compileValue({ type: field.type, [keyword]: field[keyword] }, own, 0)
    alone.set(keyword, check)
    return check(value, startCheckRun(MAX_MENDING_STEPS)) === undefined
  }
  return value => {
    const meant = coerce(value, field.type)
    const text = meant === undefined || meant === value ? undefined : shortJson(meant)
    if (text !== undefined) return `write ${text}`
    if (meant === undefined) return `write a value of type ${field.type}, or change the type`
    const refusing = CONSTRAINTS.find(([keyword]) => refuses(keyword, value))
    if (refusing === undefined) return 'change the value, or what the field asks of it'
    const [keyword, change] = refusing
    return `${change}${JSON.stringify(keyword)}`
  }
}

/** For each constraint, what can be changed: the value, or the keyword that refuses it. */
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
    const key = comparableJson(value)
    if (!seen.has(key)) {
      seen.add(key)
      return []
    }
    return [{ path: ['enum', index], reason: 'is there twice', fix: 'remove one of the two' }]
  })
}
