import { CHECK_STEPS_PER_VALUE } from '../limits.ts'
import { isOfType } from './coerce.ts'
import {
  lengthConstraints,
  numberConstraints,
  oneOf,
  stringConstraints,
  type Constraint,
} from './constraints.ts'
import { describeValue } from './describe-value.ts'
import { leafCheck } from './leaf-check.ts'
import type { Field, FieldMap, JsonObject, JsonValue } from './field.ts'
import {
  copyPlainJson,
  countValues,
  describePlainly,
  guard,
  hasToJson,
  isPlainObject,
  readOwn,
  refuseValue,
  setOwn,
  takeSteps,
  type CheckRun,
} from './plain-json.ts'
import type { Rules, ValueCheck } from './value-rules.ts'

/** Builds the check of one field; `depth` is the number of enclosing arrays and objects. */
export function compileValue(field: Field, rules: Rules, depth: number): ValueCheck {
  const known = rules.built?.get(field)
  if (known !== undefined) return known
  const check = buildCheck(field, rules, depth)
  rules.built?.set(field, check)
  return check
}

function buildCheck(field: Field, rules: Rules, depth: number): ValueCheck {
  switch (field.type) {
    case 'string':
      return leafCheck(
        field,
        rules,
        stringConstraints(field, rules.compilePattern),
        value => typeof value === 'string',
      )
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
 * Builds the check of a map of fields: in declared order, own properties only, into a new object without undeclared
 * properties.
 */
export function compileMap(
  fields: FieldMap,
  rules: Rules,
  depth: number,
): (source: object, run: CheckRun) => JsonObject | undefined {
  const entries = Object.entries(fields).map(([name, field]) => compileEntry(name, field, rules, depth))
  const steps = entries.length * CHECK_STEPS_PER_VALUE
  return (source, run) => {
    if (!takeSteps(run, steps)) return undefined
    const result: JsonObject = {}
    let present = 0
    for (const entry of entries) {
      const given = readOwn(source, entry.name)
      if (given !== undefined) present += 1
      else if (entry.isOptional) continue
      const droppedBefore = run.dropped.length
      const value = given === undefined ? entry.absent(run) : entry.check(given, run)
      if (value === undefined) {
        run.path.push(entry.name)
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
  /** Neither required nor with a default: an absent field stays absent. */
  readonly isOptional: boolean
  /** The value of an absent field: its default, or undefined after a refusal. */
  readonly absent: (run: CheckRun) => JsonValue | undefined
}

function compileEntry(name: string, field: Field, rules: Rules, depth: number): Entry {
  const check = compileValue(field, rules, depth)
  const fallback = rules.distrust ? undefined : field.default
  if (rules.isRequired(field)) {
    return { name, check, isOptional: false, absent: run => refuseValue(run, 'is required') }
  }
  if (fallback === undefined) return { name, check, isOptional: true, absent: () => undefined }
  // Many items may use the same large default, so its length counts each time.
  const steps = JSON.stringify(fallback).length
  const absent = (run: CheckRun): JsonValue | undefined =>
    // Copied each time: a handler's changes to its default must not affect the next job.
    takeSteps(run, steps) ? check(copyPlainJson(fallback, run, depth), run) : undefined
  return { name, check, isOptional: false, absent }
}

/** Records the names of undeclared properties, so that the agent's owner learns about them; the first few are enough. */
function noteDropped(source: object, fields: FieldMap, present: number, run: CheckRun): void {
  const keys = Object.keys(source)
  if (keys.length === present) return
  for (const key of keys) {
    if (run.dropped.length >= MAX_DROPPED_NAMED) return
    if (!Object.hasOwn(fields, key)) run.dropped.push([key])
  }
}

const MAX_DROPPED_NAMED = 20

/** Prepends a step to the paths recorded since `from`. */
function addStep(run: CheckRun, from: number, step: string | number): void {
  for (const path of run.dropped.slice(from)) path.push(step)
}

function enumConstraint(field: Field): Constraint<JsonValue>[] {
  return field.enum === undefined ? [] : [oneOf(field.enum)]
}

/** Adds the `enum` of an array or object field, and the guard against values that throw on access. */
function containerCheck(field: Field, rules: Rules, check: ValueCheck): ValueCheck {
  const constraints = enumConstraint(field)
  const checkAll: ValueCheck = (given, run) => {
    const value = check(given, run)
    if (value === undefined) return undefined
    const reason = constraints[0]?.(value, run)
    return reason === undefined ? value : refuseValue(run, reason)
  }
  return rules.distrust ? (given, run) => guard(run, () => checkAll(given, run)) : checkAll
}

function arrayCheck(field: Field, rules: Rules, depth: number): ValueCheck {
  const constraints = lengthConstraints(field)
  const checkItem = field.items === undefined ? undefined : compileValue(field.items, rules, depth + 1)
  return (given, run) => {
    if (!Array.isArray(given)) return refuseValue(run, `must be an array, got ${describeValue(given)}`)
    if (rules.distrust && hasToJson(given))
      return refuseValue(run, `must be a plain array, got ${describePlainly(given)}`)
    for (const constraint of constraints) {
      const reason = constraint(given.length, run)
      if (reason !== undefined) return refuseValue(run, reason)
    }
    if (checkItem !== undefined) return checkItems(given, checkItem, run)
    return rules.distrust ? copyPlainJson(given, run, depth) : given
  }
}

function checkItems(
  given: readonly unknown[],
  checkItem: ValueCheck,
  run: CheckRun,
): JsonValue[] | undefined {
  const { length } = given
  if (!countValues(run, length)) return undefined
  const items: JsonValue[] = []
  for (let index = 0; index < length; index += 1) {
    const droppedBefore = run.dropped.length
    const item = checkItem(given[index], run)
    if (item === undefined) {
      run.path.push(index)
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
      return refuseValue(run, `must be an object, got ${describeValue(given)}`)
    }
    if (rules.distrust && !isPlainObject(given)) {
      return refuseValue(run, `must be a plain object, got ${describePlainly(given)}`)
    }
    if (checkProperties !== undefined) return checkProperties(given, run)
    return rules.distrust ? copyPlainJson(given, run, depth) : given
  }
}
