import { countCodePoints } from './code-points.ts'
import { count, describeValue, quoteText } from './describe-value.ts'
import { comparableJson } from './equal-json.ts'
import type { Field, JsonValue } from './field.ts'
import { FORMAT_EXAMPLES, isFormat, matchesFormat } from './formats.ts'
import type { PatternTest } from './pattern.ts'
import { takeSteps, type CheckRun } from './plain-json.ts'

/** Why a value is refused, or undefined when it is accepted. Expensive checks are deducted from the run's steps (D42). */
export type Constraint<T> = (value: T, run: CheckRun) => string | undefined

/** The constraints of a string field beyond its type, in the order in which they are checked; lengths before patterns. */
export function stringConstraints(
  field: Field,
  compilePattern: (source: string) => PatternTest,
): Constraint<string>[] {
  const constraints: Constraint<string>[] = []
  if (field.enum !== undefined) constraints.push(oneOf(field.enum))
  if (field.minLength !== undefined) constraints.push(minLength(field.minLength))
  if (field.maxLength !== undefined) constraints.push(maxLength(field.maxLength))
  if (field.pattern !== undefined) constraints.push(matches(field.pattern, compilePattern(field.pattern)))
  if (field.format !== undefined) constraints.push(ofFormat(field.format))
  return constraints
}

/** The constraints of a number or integer field beyond its type. */
export function numberConstraints({ minimum, maximum, enum: allowed }: Field): Constraint<number>[] {
  const constraints: Constraint<number>[] = []
  if (allowed !== undefined) constraints.push(oneOf(allowed))
  if (minimum !== undefined) {
    constraints.push(value => (value >= minimum ? undefined : `must be at least ${minimum}, got ${value}`))
  }
  if (maximum !== undefined) {
    constraints.push(value => (value <= maximum ? undefined : `must be at most ${maximum}, got ${value}`))
  }
  return constraints
}

/** The constraints on the length of an array. */
export function lengthConstraints({ minItems, maxItems }: Field): Constraint<number>[] {
  const constraints: Constraint<number>[] = []
  if (minItems !== undefined) {
    const reason = `must have at least ${count(minItems, 'item')}`
    constraints.push(length => (length >= minItems ? undefined : `${reason}, got ${length}`))
  }
  if (maxItems !== undefined) {
    const reason = `must have at most ${count(maxItems, 'item')}`
    constraints.push(length => (length <= maxItems ? undefined : `${reason}, got ${length}`))
  }
  return constraints
}

/** The `enum` rule, by value; the order of properties of objects is ignored. */
export function oneOf(allowed: readonly JsonValue[]): Constraint<JsonValue> {
  const known = new Set(allowed.map(comparableJson))
  const primitives = new Set<JsonValue>(allowed.filter(value => typeof value !== 'object'))
  const shown = allowed.slice(0, MAX_SHOWN_VALUES).map(showAllowed).join(', ')
  const more = allowed.length > MAX_SHOWN_VALUES ? ` and ${allowed.length - MAX_SHOWN_VALUES} more` : ''
  const isKnown = (value: JsonValue, run: CheckRun): boolean => {
    if (typeof value !== 'object') return primitives.has(value)
    const text = comparableJson(value)
    return takeSteps(run, text.length * STEPS_PER_CANONICAL_CHARACTER) && known.has(text)
  }
  return (value, run) => {
    if (isKnown(value, run)) return undefined
    return run.stepsLeft < 0 ? run.reason : `must be one of ${shown}${more}, got ${describeValue(value)}`
  }
}

/** Properties are sorted, and each enclosing enum serializes the value again. */
const STEPS_PER_CANONICAL_CHARACTER = 8

const MAX_SHOWN_VALUES = 10

function showAllowed(value: JsonValue): string {
  return typeof value === 'object' ? quoteText(JSON.stringify(value)) : describeValue(value)
}

/** A text has between half as many code points as units and as many: for most texts no counting is needed. */
function minLength(minimum: number): Constraint<string> {
  const reason = `must be at least ${count(minimum, 'character')}`
  return text => {
    if (text.length >= 2 * minimum) return undefined
    const length = countCodePoints(text)
    return length >= minimum ? undefined : `${reason}, got ${length}`
  }
}

function maxLength(maximum: number): Constraint<string> {
  const reason = `must be at most ${count(maximum, 'character')}`
  return text => {
    if (text.length <= maximum) return undefined
    const length = countCodePoints(text)
    return length <= maximum ? undefined : `${reason}, got ${length}`
  }
}

function matches(source: string, test: PatternTest): Constraint<string> {
  const limit = `must be at most ${count(test.maxTextLength, 'character')} long to be matched against its pattern`
  return (text, run) => {
    if (text.length > test.maxTextLength) return `${limit}, got ${text.length}`
    if (!takeSteps(run, (text.length + 1) * test.instructions)) return run.reason
    return test(text) ? undefined : `must match the pattern ${source}, got ${quoteText(text)}`
  }
}

/** @throws {RangeError} where the format is unknown; checked declarations hold none */
function ofFormat(name: string): Constraint<string> {
  if (!isFormat(name)) throw new RangeError(`unknown format ${quoteText(name)}`)
  const reason = `must be a valid ${name} such as ${quoteText(FORMAT_EXAMPLES[name])}`
  return text => (matchesFormat(text, name) ? undefined : `${reason}, got ${quoteText(text)}`)
}
