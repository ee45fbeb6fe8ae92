import { printable } from '@farebox/conformance/internal/printable'
import { isObject, parseJson } from '@farebox/protocol/internal/guards/json'
import { describeValue } from '@farebox/protocol/internal/fields/describe-value'
import type { Field, FieldMap, JsonObject, JsonValue } from '@farebox/protocol/fields/field'
import { setOwn } from '@farebox/protocol/internal/fields/plain-json'
import { type CommandError, usageError } from '../../command-error.ts'
import { nestsDeeperThan } from '@farebox/protocol/internal/guards/json-depth'
import { MAX_BODY_DEPTH } from '@farebox/protocol/limits'
import { nearest } from '@farebox/protocol/internal/problems/nearest'

/**
 * Reads the flags of a job's fields into an input that is not validated yet: `--text hello --top 3`, `--loud` or
 * `--loud=false`, `--tag a --tag b` or `--tag '["a","b"]'`, `--options '{"depth":3}'` or `--options.depth 3`. Texts remain
 * texts; the validation of the field converts them to numbers (D19).
 *
 * @param args the arguments after the capability
 * @param named the `name=value` pairs of `--field`, for any field
 */
export function readFieldFlags(
  args: readonly string[],
  named: readonly string[],
  fields: FieldMap,
): JsonObject {
  const input: JsonObject = {}
  const rest = [...args]
  for (let arg = rest.shift(); arg !== undefined; arg = rest.shift()) {
    const { name, text } = split(arg)
    const target = findTarget(name, fields)
    put(input, target, text ?? takeValue(target, rest))
  }
  for (const arg of named) {
    const equals = arg.indexOf('=')
    if (equals < 1) throw usageError('--field must be like --field name=value', '')
    put(input, findTarget(arg.slice(0, equals), fields), arg.slice(equals + 1))
  }
  return input
}

/** Converts a text to a value of its field: JSON for objects, and for undeclared fields JSON if the text is valid JSON. */
export function readFieldText({ flag, field }: FieldTarget, text: string): JsonValue {
  if (field?.type === 'array') return readItems(flag, text, field.items)
  return readScalar(flag, text, field)
}

function split(arg: string): { readonly name: string; readonly text: string | undefined } {
  if (!arg.startsWith('--') || arg === '--') {
    const shown = arg.length > 40 ? 'a word' : `"${printable(arg)}"`
    throw usageError(
      `${shown} was not expected here`,
      'the URL comes first, then the capability, then fields: --text "hello world"',
    )
  }
  const equals = arg.indexOf('=')
  return equals === -1
    ? { name: arg.slice(2), text: undefined }
    : { name: arg.slice(2, equals), text: arg.slice(equals + 1) }
}

/** Takes the value of `--name value`; a boolean needs no value. */
function takeValue({ flag, field }: FieldTarget, rest: string[]): string {
  const [next] = rest
  if (field?.type === 'boolean') {
    if (next !== 'true' && next !== 'false') return 'true'
  } else if (next === undefined || next.startsWith('--')) {
    const hint = `one that begins with -- is written ${flag}=--value`
    throw usageError(`${flag} needs a value`, next === undefined ? '' : hint)
  }
  rest.shift()
  return next
}

function put(input: JsonObject, target: FieldTarget, text: string): void {
  const { flag, path, field } = target
  const last = path.at(-1) ?? ''
  const parent = parentOf(input, target)
  const before = Object.hasOwn(parent, last) ? parent[last] : undefined
  const value = readFieldText(target, text)
  if (before === undefined) return setOwn(parent, last, value)
  if (field?.type === 'array' && Array.isArray(before) && Array.isArray(value)) {
    return setOwn(parent, last, [...before, ...value])
  }
  if (isObject(before) && isObject(value)) return setOwn(parent, last, { ...before, ...value })
  throw usageError(`${flag} is given twice`, 'it takes one value')
}

function parentOf(input: JsonObject, { flag, path }: FieldTarget): JsonObject {
  let parent = input
  for (const step of path.slice(0, -1)) {
    if (!Object.hasOwn(parent, step)) setOwn(parent, step, {})
    const inner = parent[step]
    if (!isObject(inner)) throw usageError(`${flag} and one of its parts are both given`, '')
    parent = inner
  }
  return parent
}

function readScalar(flag: string, text: string, field: Field | undefined): JsonValue {
  if (field !== undefined && field.type !== 'object' && field.type !== 'array') return text
  const value = parseInput(text)
  if (field === undefined) return value === undefined ? text : value
  if (field.type === 'object' ? isObject(value) : Array.isArray(value)) return value ?? null
  const wanted = field.type === 'object' ? 'an object like {"depth": 3}' : 'an array like ["a", "b"]'
  throw usageError(`${flag} must be ${wanted}, as JSON, got ${printable(describeValue(value ?? text))}`, '')
}

function readItems(flag: string, text: string, items: Field | undefined): JsonValue[] {
  const whole = text.trimStart().startsWith('[') ? parseInput(text) : undefined
  return Array.isArray(whole) ? whole : [readScalar(flag, text, items)]
}

/** The options of `farebox call`. A field with the same name must be given through `--field`. */
export const CALL_OPTIONS: readonly string[] = [
  'input',
  'field',
  'max-price',
  'network',
  'wallet',
  'password-file',
  'rpc-url',
  'deadline',
  'allow-http',
  'dry-run',
  'resume',
  'list',
  'json',
  'help',
]

/** Parses JSON. Returns `undefined` when it is invalid or nested deeper than any agent accepts (D15). */
export function parseInput(text: string): JsonValue | undefined {
  if (nestsDeeperThan(new TextEncoder().encode(text), MAX_BODY_DEPTH)) return undefined
  // The result of JSON.parse is always a JSON value.
  return parseJson(text) as JsonValue | undefined
}

interface FieldTarget {
  /** The flag as the person wrote it, for messages: `--options.depth`. */
  readonly flag: string
  readonly path: readonly string[]
  /** `undefined` inside an object that declares no properties, which accepts any value. */
  readonly field: Field | undefined
}

/** The maximum nesting of an input (D15). */
const MAX_PATH_STEPS = 60

/** Finds the declared field of a flag: `text`, or `options.depth` for a property of an object. */
function findTarget(name: string, fields: FieldMap): FieldTarget {
  const flag = `--${printable(name)}`
  if (Object.hasOwn(fields, name)) return { flag, path: [name], field: fields[name] }
  const path = name.split('.')
  let known: FieldMap | undefined = fields
  let field: Field | undefined
  if (path.length > MAX_PATH_STEPS) throw usageError(`${flag.slice(0, 40)}… is nested too deeply`, '')
  for (const [index, step] of path.entries()) {
    // An object without declared properties accepts any property.
    if (known === undefined) break
    if (!Object.hasOwn(known, step)) throw unknown(path.slice(0, index), step, known)
    field = known[step]
    if (index === path.length - 1) return { flag, path, field }
    if (field?.type !== 'object') {
      const whole = printable(path.slice(0, index + 1).join('.'))
      throw usageError(`${flag} is not there: --${whole} is of type ${field?.type ?? 'unknown'}`, '')
    }
    known = field.properties
  }
  return { flag, path, field: undefined }
}

function unknown(before: readonly string[], step: string, known: FieldMap): CommandError {
  const names = Object.keys(known)
  const written = (name: string): string => `--${printable([...before, name].join('.'))}`
  const options = before.length === 0 ? CALL_OPTIONS : []
  const guess = nearest(step, [...names, ...options])
  const meant = guess === undefined ? '' : `, did you mean ${written(guess)}?`
  const next =
    names.length === 0 ? 'it takes no fields' : `it takes ${names.slice(0, 20).map(written).join(', ')}`
  return usageError(`${written(step)} is not one of its fields${meant}`, next)
}
