import { isObject } from '../guards/json.ts'
import { countCodePoints } from '../fields/code-points.ts'
import type { JsonObject, JsonValue } from '../fields/field.ts'
import { inlineJson } from './inline-json.ts'
import type { DeclarationCheck } from './declaration-check.ts'
import { meantKey } from '../problems/meant-key.ts'
import { nearest } from '../problems/nearest.ts'
import type { Problem } from '../problems/problem.ts'

/** Where a value was found, from the root. */
export type Path = Problem['path']

/** What must be true of one value of a declaration, written once: for the check and for editors. */
export interface Rule {
  /** What is wrong with the value found at `path`, as far as the check of the whole declaration may go. */
  readonly check: (value: unknown, path: Path, whole: DeclarationCheck) => readonly Problem[]
  /** The same in JSON Schema, as far as that can say it. */
  readonly schema: JsonObject
  /** A value that is right; shown where one is missing. */
  readonly example: JsonValue
  /** Whether an object may do without. */
  readonly isOptional?: true
}

/** The rules of an object's keys, in the order in which people write them. */
export type KeyRules = { readonly [key: string]: Rule }

/** Any value: what is there for others to read. */
export function anything(example: JsonValue): Rule {
  return { check: () => [], schema: {}, example }
}

/** One text and no other. */
export function exactly(expected: string): Rule {
  return {
    check(value, path) {
      if (value === expected) return []
      const got = typeof value === 'string' ? JSON.stringify(value.slice(0, 40)) : nameOf(value)
      const fix = `write "${expected}"${typeof value === 'number' ? ', in quotes' : ''}`
      return [{ path, reason: `must be "${expected}", got ${got}`, fix }]
    },
    schema: { const: expected },
    example: expected,
  }
}

/** A text of so many characters, counted as code points; white space alone is no text where `min` is 1. */
export function text({ min, max, example }: { min: 0 | 1; max: number; example: string }): Rule {
  const such = `such as ${JSON.stringify(example)}`
  return {
    check(value, path) {
      if (typeof value !== 'string') {
        const isQuotable = typeof value === 'number' || typeof value === 'boolean'
        const fix = isQuotable ? `put it in quotes: "${value}"` : `write a text in quotes, ${such}`
        return [{ path, reason: `must be a string, got ${nameOf(value)}`, fix }]
      }
      const count = countCodePoints(value)
      if (count > max) {
        const over = count - max
        const fix = `shorten it by ${over} ${over === 1 ? 'character' : 'characters'}`
        return [{ path, reason: `must be at most ${max} characters, got ${count}`, fix }]
      }
      return value.trim().length < min
        ? [{ path, reason: 'must not be empty', fix: `write one, ${such}` }]
        : []
    },
    schema: { type: 'string', ...(min === 0 ? {} : { minLength: min, pattern: '\\S' }), maxLength: max },
    example,
  }
}

/** An object with these keys and no others. */
export function object(rules: KeyRules): Rule {
  const required = Object.entries(rules).filter(([, rule]) => rule.isOptional !== true)
  const example = Object.fromEntries(required.map(([key, rule]) => [key, rule.example]))
  return {
    check(value, path, whole) {
      if (isObject(value)) return checkKeys(value, path, { rules, whole })
      const fix = unbracket(value) ?? `write ${showExample(example)}`
      return [{ path, reason: `must be an object, got ${nameOf(value)}`, fix }]
    },
    schema: {
      type: 'object',
      properties: Object.fromEntries(Object.entries(rules).map(([key, rule]) => [key, rule.schema])),
      required: required.map(([key]) => key),
      additionalProperties: false,
      examples: [example],
    },
    example,
  }
}

/** The rule, with what editors show beside its key. */
export function described(description: string, rule: Rule): Rule {
  return { ...rule, schema: { description, ...rule.schema } }
}

/** The rule of a key that may be left out. */
export function optional(rule: Rule): Rule {
  return { ...rule, isOptional: true }
}

/** The example as a fix repeats it, its depths left out where it is long. */
export function showExample(example: JsonValue): string {
  return inlineJson(example, MAX_EXAMPLE_CHARACTERS)
}

const MAX_EXAMPLE_CHARACTERS = 120

/** What to do with the list of one object that stands where the object itself belongs; undefined for other values. */
export function unbracket(value: unknown): string | undefined {
  const isListOfOne = Array.isArray(value) && value.length === 1 && isObject(value[0])
  return isListOfOne ? 'remove the brackets [ ] around it' : undefined
}

/** What kind of value it is: `a string`, `an array`, `null`. */
export function nameOf(value: unknown): string {
  if (value === null || value === undefined) return String(value)
  if (Array.isArray(value)) return 'an array'
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}

/** Unknown keys first, then each known one by its rule. A mistyped key is reported once, not also as a missing one. */
function checkKeys(
  value: { [key: string]: unknown },
  path: Path,
  { rules, whole }: { readonly rules: KeyRules; readonly whole: DeclarationCheck },
): readonly Problem[] {
  const missing = new Set(Object.keys(rules).filter(key => isMissing(value, key, rules)))
  const unknown = Object.keys(value)
    .filter(key => !Object.hasOwn(rules, key))
    .slice(0, whole.problemsLeft)
    .map(key => unknownKey(key, { value, path, rules, missing }))
  whole.problemsLeft -= unknown.length
  const known = Object.entries(rules).flatMap(([key, rule]) => {
    if (Object.hasOwn(value, key)) return rule.check(value[key], [...path, key], whole)
    if (!missing.has(key)) return []
    const fix = `add ${JSON.stringify(key)}: ${showExample(rule.example)}`
    return [{ path: [...path, key], reason: 'is required', fix }]
  })
  return [...unknown, ...known]
}

function isMissing(value: object, key: string, rules: KeyRules): boolean {
  return !Object.hasOwn(value, key) && rules[key]?.isOptional !== true
}

interface Keyed {
  readonly value: object
  readonly path: Path
  readonly rules: KeyRules
  /** Required keys that are not there; a guess takes its key out. */
  readonly missing: Set<string>
}

/** A known key that is missing is the better guess, and is then no longer missing. */
function unknownKey(key: string, { value, path, rules, missing }: Keyed): Problem {
  const known = Object.keys(rules)
  const guess = nearest(key, missing) ?? meantKey(key, known) ?? nearest(key, known)
  const at = { path: [...path, key], at: 'key' } as const
  if (guess === undefined) {
    const fix = `remove it; known here are ${known.map(name => `"${name}"`).join(', ')}`
    return { ...at, reason: 'is not a known key', fix }
  }
  missing.delete(guess)
  const fix = Object.hasOwn(value, guess)
    ? `remove it: "${guess}" is already there`
    : `rename it to "${guess}"`
  return { ...at, reason: `is not a known key, did you mean "${guess}"?`, fix }
}
