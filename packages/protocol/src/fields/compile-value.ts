import { coerce, isOfType } from './coerce.ts'
import {
  lengthConstraints,
  numberConstraints,
  oneOf,
  stringConstraints,
  type Constraint,
} from './constraints.ts'
import { describeValue } from './describe-value.ts'
import type { Field, FieldMap, FieldType, JsonObject, JsonValue } from './field.ts'
import {
  copyPlainJson,
  countValues,
  describePlainly,
  guard,
  hasToJson,
  isPlainObject,
  readOwn,
  refuse,
  setOwn,
  type Run,
} from './plain-json.ts'

/** Checks a value; undefined means refused, with the reason in the run. */
export type ValueCheck = (value: unknown, run: Run) => JsonValue | undefined

/** In what the checks of inputs, of outputs and of a declaration's own values differ. */
export interface Rules {
  /** The value as the type asks for it, or undefined. */
  readonly convert: (value: unknown, type: FieldType) => JsonValue | undefined
  readonly isRequired: (field: Field) => boolean
  /** Whether values come from code that may have made anything, rather than from a JSON parser. */
  readonly distrust: boolean
}

/** D19, D20: JSON from a caller; coerced, and what is not declared falls away. */
export const INPUT_RULES: Rules = {
  convert: coerce,
  isRequired: field => field.required === true,
  distrust: false,
}

/**
 * D19, D20: whatever a handler returned; never coerced, and copied, so that what was checked is what is sent.
 */
export const OUTPUT_RULES: Rules = {
  convert: asItIs,
  isRequired: field => field.required !== false,
  distrust: true,
}

/**
 * `default`, `examples` and `enum` of an input: already of their type, with the input's idea of `required`.
 */
export const DECLARED_INPUT_RULES: Rules = { ...INPUT_RULES, convert: asItIs }

/** Builds the check of one field; `depth` is how many arrays and objects enclose it. */
export function compileValue(field: Field, rules: Rules, depth: number): ValueCheck {
  switch (field.type) {
    case 'string':
      return leafCheck(field, rules, stringConstraints(field), value => typeof value === 'string')
    case 'number':
    case 'integer':
      return leafCheck(field, rules, numberConstraints(field), value => typeof value === 'number')
    case 'boolean':
      return leafCheck(field, rules, enumConstraint(field), value => typeof value === 'boolean')
    case 'array':
      return containerCheck(field, rules, arrayCheck(field, rules, depth))
    case 'object':
      return containerCheck(field, rules, objectCheck(field, rules, depth))
  }
}

/**
 * Builds the check of a map of fields: declared order, own properties only, a fresh object, undeclared left
 * out.
 */
export function compileMap(
  fields: FieldMap,
  rules: Rules,
  depth: number,
): (source: object, run: Run) => JsonObject | undefined {
  const entries = Object.entries(fields).map(([name, field]) => compileEntry(name, field, rules, depth))
  return (source, run) => {
    const result: JsonObject = {}
    let present = 0
    for (const entry of entries) {
      const given = readOwn(source, entry.name)
      if (given !== undefined) present += 1
      else if (entry.isOptional) continue
      const droppedBefore = run.dropped.length
      const value = given === undefined ? entry.absent(run) : entry.check(given, run)
      if (value === undefined) {
        run.steps.push(entry.name)
        return undefined
      }
      if (run.dropped.length > droppedBefore) addStep(run, droppedBefore, entry.name)
      if (entry.name === '__proto__') setOwn(result, entry.name, value)
      else result[entry.name] = value
    }
    if (rules.distrust) noteDropped(source, fields, present, run)
    return result
  }
}

interface Entry {
  readonly name: string
  readonly check: ValueCheck
  /** Neither required nor defaulted: an absent field stays absent. */
  readonly isOptional: boolean
  /** What stands in for an absent field: its default, or the refusal. */
  readonly absent: (run: Run) => JsonValue | undefined
}

function compileEntry(name: string, field: Field, rules: Rules, depth: number): Entry {
  const check = compileValue(field, rules, depth)
  const fallback = rules.distrust ? undefined : field.default
  if (rules.isRequired(field)) {
    return { name, check, isOptional: false, absent: run => refuse(run, 'is required') }
  }
  if (fallback === undefined) return { name, check, isOptional: true, absent: () => undefined }
  // A copy each time: what one handler does to its default must not reach the next job.
  return { name, check, isOptional: false, absent: run => check(copyPlainJson(fallback, run, depth), run) }
}

/** Names what the map left out, so that its owner learns of it; the first few are enough for that. */
function noteDropped(source: object, fields: FieldMap, present: number, run: Run): void {
  const keys = Object.keys(source)
  if (keys.length === present) return
  for (const key of keys) {
    if (run.dropped.length >= MAX_DROPPED_NAMED) return
    if (!Object.hasOwn(fields, key)) run.dropped.push([key])
  }
}

const MAX_DROPPED_NAMED = 20

/** Completes the paths noted since `from` by the step that leads to them. */
function addStep(run: Run, from: number, step: string | number): void {
  for (const path of run.dropped.slice(from)) path.push(step)
}

function asItIs(value: unknown, type: FieldType): JsonValue | undefined {
  return isOfType(value, type) ? value : undefined
}

const AN: { readonly [type in FieldType]: string } = {
  string: 'a string',
  number: 'a number',
  integer: 'an integer',
  boolean: 'a boolean',
  array: 'an array',
  object: 'an object',
}

function leafCheck<T extends JsonValue>(
  field: Field,
  rules: Rules,
  constraints: readonly Constraint<T>[],
  isLeaf: (value: JsonValue) => value is T & JsonValue,
): ValueCheck {
  const { type } = field
  return (given, run) => {
    const value = rules.convert(given, type)
    if (value === undefined || !isLeaf(value))
      return refuse(run, `must be ${AN[type]}, got ${describeValue(given)}`)
    for (const constraint of constraints) {
      const reason = constraint(value)
      if (reason !== undefined) return refuse(run, reason)
    }
    return value
  }
}

function enumConstraint(field: Field): Constraint<JsonValue>[] {
  return field.enum === undefined ? [] : [oneOf(field.enum)]
}

/** Adds the `enum` of an array or object field, and the guard against values that throw when touched. */
function containerCheck(field: Field, rules: Rules, check: ValueCheck): ValueCheck {
  const constraints = enumConstraint(field)
  const checkAll: ValueCheck = (given, run) => {
    const value = check(given, run)
    if (value === undefined) return undefined
    const reason = constraints[0]?.(value)
    return reason === undefined ? value : refuse(run, reason)
  }
  return rules.distrust ? (given, run) => guard(run, () => checkAll(given, run)) : checkAll
}

function arrayCheck(field: Field, rules: Rules, depth: number): ValueCheck {
  const constraints = lengthConstraints(field)
  const checkItem = field.items === undefined ? undefined : compileValue(field.items, rules, depth + 1)
  return (given, run) => {
    if (!Array.isArray(given)) return refuse(run, `must be an array, got ${describeValue(given)}`)
    if (rules.distrust && hasToJson(given))
      return refuse(run, `must be a plain array, got ${describePlainly(given)}`)
    for (const constraint of constraints) {
      const reason = constraint(given.length)
      if (reason !== undefined) return refuse(run, reason)
    }
    if (checkItem !== undefined) return checkItems(given, checkItem, run)
    return rules.distrust ? copyPlainJson(given, run, depth) : given
  }
}

function checkItems(given: readonly unknown[], checkItem: ValueCheck, run: Run): JsonValue[] | undefined {
  const { length } = given
  if (!countValues(run, length)) return undefined
  const items: JsonValue[] = []
  for (let index = 0; index < length; index += 1) {
    const droppedBefore = run.dropped.length
    const item = checkItem(given[index], run)
    if (item === undefined) {
      run.steps.push(index)
      return undefined
    }
    if (run.dropped.length > droppedBefore) addStep(run, droppedBefore, index)
    items.push(item)
  }
  return items
}

function objectCheck(field: Field, rules: Rules, depth: number): ValueCheck {
  const checkProperties =
    field.properties === undefined ? undefined : compileMap(field.properties, rules, depth + 1)
  return (given, run) => {
    if (!isOfType(given, 'object') || typeof given !== 'object' || given === null) {
      return refuse(run, `must be an object, got ${describeValue(given)}`)
    }
    if (rules.distrust && !isPlainObject(given)) {
      return refuse(run, `must be a plain object, got ${describePlainly(given)}`)
    }
    if (checkProperties !== undefined) return checkProperties(given, run)
    return rules.distrust ? copyPlainJson(given, run, depth) : given
  }
}
