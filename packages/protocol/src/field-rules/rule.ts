import { isObject } from '../guards/json.ts'
import { countCodePoints } from '../fields/code-points.ts'
import type { JsonObject, JsonValue } from '../fields/field.ts'
import { inlineJson } from './inline-json.ts'
import type { DeclarationCheck } from './declaration-check.ts'
import { meantKey } from '../problems/meant-key.ts'
import { nearest } from '../problems/nearest.ts'
import type { Problem } from '../problems/problem.ts'

/** The path of a value from the root. */
export type Path = Problem['path']

/** The rule of one value of a declaration, written once for the check and for editors. */
export interface Rule {
  /** The problems of the value at `path`, within the budget of the check. */
  readonly check: (value: unknown, path: Path, whole: DeclarationCheck) => readonly Problem[]
  /** The same rule in JSON Schema, as far as that can express it. */
  readonly schema: JsonObject
  /** A valid value, shown when the value is missing. */
  readonly example: JsonValue
  /** May an object omit this key? */
  readonly isOptional?: true
}

/** The rules of an object's keys, in the usual order of writing. */
export type KeyRules = { readonly [key: string]: Rule }

/** Accepts any value, for keys that this check does not use. */
export function anything(example: JsonValue): Rule {
  return { check: () => [], schema: {}, example }
}

/** Accepts exactly one text. */
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

/** Accepts a text of this many characters, counted as code points; if `min` is 1, white space alone is refused. */
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

/** Accepts an object with these keys and no others. */
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

/** The same rule, with a description that editors show for its key. */
export function described(description: string, rule: Rule): Rule {
  return { ...rule, schema: { description, ...rule.schema } }
}

/** The same rule for a key that may be omitted. */
export function optional(rule: Rule): Rule {
  return { ...rule, isOptional: true }
}

/** The example as repeated in a fix, with nested parts omitted if it is long. */
export function showExample(example: JsonValue): string {
  return inlineJson(example, MAX_EXAMPLE_CHARACTERS)
}

const MAX_EXAMPLE_CHARACTERS = 120

/** The fix for a list with one object in place of the object; undefined for other values. */
export function unbracket(value: unknown): string | undefined {
  const isListOfOne = Array.isArray(value) && value.length === 1 && isObject(value[0])
  return isListOfOne ? 'remove the brackets [ ] around it' : undefined
}

/** The kind of a value: `a string`, `an array`, `null`. */
export function nameOf(value: unknown): string {
  if (value === null || value === undefined) return String(value)
  if (Array.isArray(value)) return 'an array'
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}

/**
 * Reports unknown keys first, then checks each known one by its rule. A mistyped key is reported once, not also as a missing
 * one.
 */
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
  /** Required keys that are absent; a guess removes its key. */
  readonly missing: Set<string>
}

/** A known key that is missing is the better guess, and no longer counts as missing. */
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
