import { CHECK_STEPS_PER_VALUE, MAX_BODY_DEPTH, MAX_INPUT_CHECK_STEPS, MAX_VALUES } from '../limits.ts'
import { count, describeValue, UNREADABLE } from './describe-value.ts'
import type { JsonObject, JsonValue } from './field.ts'

/**
 * The state of a check. A check returns undefined for "refused" and stores the reason here; each enclosing value then adds
 * its own name or index, so `path` leads from the inside to the outside.
 */
export interface CheckRun {
  reason: string
  readonly path: (string | number)[]
  /** Remaining steps of the check (D42); below zero it is over. */
  stepsLeft: number
  /** All steps of the check. */
  readonly maxSteps: number
  /** Array items and properties seen so far; limits the work that an object graph with shared parts can cause. */
  values: number
  /** Removed undeclared fields, each as its path from the inside out; only filled by output checks. */
  readonly dropped: (string | number)[][]
}

/** Creates the state of a new check. */
export function startCheckRun(maxSteps: number = MAX_INPUT_CHECK_STEPS): CheckRun {
  return { reason: '', path: [], stepsLeft: maxSteps, maxSteps, values: 0, dropped: [] }
}

/** Deducts steps from the check (D42); false, with the reason stored, when too few are left. */
export function takeSteps(run: CheckRun, steps: number): boolean {
  run.stepsLeft -= steps
  if (run.stepsLeft >= 0) return true
  refuseValue(
    run,
    `is where the check reached its limit of ${run.maxSteps} steps; send fewer items, or shorter texts where there is a pattern`,
  )
  return false
}

/** Stores why a value is refused. */
export function refuseValue(run: CheckRun, reason: string): undefined {
  run.reason = reason
  return undefined
}

/**
 * Copies plain JSON data; undefined, with the reason in `run`, for anything that JSON would lose, change or fail on (NaN,
 * undefined, functions, symbols, BigInt, class instances, toJSON, holes, cycles, throwing getters). Each property is read
 * once, so an object cannot return different values later. A property that is undefined counts as absent. Never throws.
 *
 * @param depth the number of arrays and objects that enclose the value; at most 64 in total (D15)
 */
export function copyPlainJson(value: unknown, run: CheckRun, depth: number): JsonValue | undefined {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value
  if (typeof value === 'number' && Number.isFinite(value)) return value
  if (typeof value === 'object') return guard(run, () => copyContainer(value, run, depth))
  return refuseValue(run, `must be a JSON value, got ${describeValue(value)}`)
}

/** Runs a step that accesses an untrusted object; an error thrown by a Proxy becomes a refusal. */
export function guard<T>(run: CheckRun, step: () => T | undefined): T | undefined {
  try {
    return step()
  } catch {
    return refuseValue(run, 'must be plain JSON data, got an object that throws when it is read')
  }
}

/** An own property, undefined when it is absent; for a getter that throws, a value that every check refuses. */
export function readOwn(source: object, key: string): unknown {
  try {
    return Object.hasOwn(source, key) ? Reflect.get(source, key) : undefined
  } catch {
    return UNREADABLE
  }
}

/** Sets an own property even if it is called `__proto__`, for which a plain assignment would set the prototype. */
export function setOwn(target: JsonObject, key: string, value: JsonValue): void {
  if (key !== '__proto__') target[key] = value
  else Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true })
}

/** Adds to the number of values seen; false, with the reason stored, when the limit is exceeded. */
export function countValues(run: CheckRun, amount: number): boolean {
  run.values += amount
  if (run.values <= MAX_VALUES) return takeSteps(run, amount * CHECK_STEPS_PER_VALUE)
  refuseValue(run, `must hold at most ${MAX_VALUES} values in all`)
  return false
}

/**
 * Can JSON text represent the object? True for a literal or a `JSON.parse` result, of this or another realm, without a
 * `toJSON` method.
 */
export function isPlainObject(value: object): boolean {
  if (Array.isArray(value) || hasToJson(value)) return false
  const prototype: object | null = Object.getPrototypeOf(value)
  return prototype === null || prototype === Object.prototype || Object.getPrototypeOf(prototype) === null
}

/** Would `JSON.stringify` replace the value (`toJSON`)? */
export function hasToJson(value: object): boolean {
  return typeof Reflect.get(value, 'toJSON') === 'function'
}

function copyContainer(value: object, run: CheckRun, depth: number): JsonValue | undefined {
  if (depth >= MAX_BODY_DEPTH) {
    return refuseValue(run, `must not be nested deeper than ${count(MAX_BODY_DEPTH, 'level')}, or in itself`)
  }
  if (Array.isArray(value) && !hasToJson(value)) return copyArray(value, run, depth)
  if (isPlainObject(value)) return copyObject(value, run, depth)
  return refuseValue(run, `must be plain JSON data, got ${describePlainly(value)}`)
}

/** Like {@link describeValue}, but names `toJSON` when that is the problem. */
export function describePlainly(value: object): string {
  return hasToJson(value) ? `${describeValue(value)} with a toJSON method` : describeValue(value)
}

function copyArray(source: readonly unknown[], run: CheckRun, depth: number): JsonValue[] | undefined {
  const { length } = source
  if (!countValues(run, length)) return undefined
  const copy: JsonValue[] = []
  for (let index = 0; index < length; index += 1) {
    const item = copyPlainJson(source[index], run, depth + 1)
    if (item === undefined) {
      run.path.push(index)
      return undefined
    }
    copy.push(item)
  }
  return copy
}

function copyObject(source: object, run: CheckRun, depth: number): JsonObject | undefined {
  const keys = Object.keys(source)
  if (!countValues(run, keys.length)) return undefined
  const copy: JsonObject = {}
  for (const key of keys) {
    const property = readOwn(source, key)
    if (property === undefined) continue
    const value = copyPlainJson(property, run, depth + 1)
    if (value === undefined) {
      run.path.push(key)
      return undefined
    }
    setOwn(copy, key, value)
  }
  return copy
}
