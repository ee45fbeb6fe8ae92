import { printable } from '@farebox/conformance/internal/printable'
import type { Flow } from '@farebox/flows/document/flow'
import { compileInput } from '@farebox/protocol/fields/compile'
import type { JsonObject } from '@farebox/protocol/fields/field'
import { setOwn } from '@farebox/protocol/internal/fields/plain-json'
import { nearest } from '@farebox/protocol/internal/problems/nearest'
import { MAX_BODY_BYTES } from '@farebox/protocol/limits'
import { askMissingFields } from '../../call/input/ask-missing-fields.ts'
import { parseInput, readFieldText } from '../../call/input/field-flags.ts'
import { type CommandError, usageError } from '../../command-error.ts'
import { readForeignText } from '../../terminal/read-foreign-text.ts'
import type { World } from '../../world.ts'

export interface FlowInputOptions {
  /** The `name=value` pairs of `--input`. */
  readonly input?: readonly string[]
  /** The value of `--input-file`. */
  readonly inputFile?: string
}

/**
 * Reads the input of a run: starts with the file, applies the values of `--input`, asks for missing values, then validates
 * the result as the platform will.
 *
 * @throws {CommandError} naming the input; nothing was sent
 */
export async function readFlowInput(
  world: World,
  { inputs }: Flow,
  { input = [], inputFile }: FlowInputOptions,
): Promise<JsonObject> {
  const whole = inputFile === undefined ? {} : await readWhole(world, inputFile)
  for (const name of Object.keys(whole)) if (!Object.hasOwn(inputs, name)) throw unknown(name, inputs)
  const values = { ...whole, ...readValues(input, inputs) }
  const missing = Object.keys(inputs).filter(
    name => inputs[name]?.required === true && !Object.hasOwn(values, name),
  )
  if (missing.length > 0 && !world.canAsk) throw lacks(missing)
  const checked = compileInput(inputs)(await askMissingFields(world, values, inputs))
  if (checked.ok) return checked.value
  const { field, reason } = checked.violation
  throw usageError(`input ${printable(field)}: ${printable(reason)}`, 'nothing was sent')
}

function readValues(given: readonly string[], inputs: Flow['inputs']): JsonObject {
  const values: JsonObject = {}
  for (const word of given) {
    const equals = word.indexOf('=')
    if (equals < 1)
      throw usageError('--input must be like --input name=value', 'a JSON file: --input-file input.json')
    const name = word.slice(0, equals)
    if (!Object.hasOwn(inputs, name)) throw unknown(name, inputs)
    const flag = `--input ${printable(name)}`
    const value = readFieldText({ flag, path: [name], field: inputs[name] }, word.slice(equals + 1))
    const before = Object.hasOwn(values, name) ? values[name] : undefined
    const isMore = Array.isArray(before) && Array.isArray(value)
    if (before !== undefined && !isMore) throw usageError(`${flag} is given twice`, 'it takes one value')
    setOwn(values, name, isMore ? [...before, ...value] : value)
  }
  return values
}

async function readWhole(world: World, file: string): Promise<JsonObject> {
  const text = await readForeignText(world, file, { what: 'the input', maxBytes: MAX_BODY_BYTES })
  const value = parseInput(text.replace(/^\uFEFF/, ''))
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  throw usageError('--input-file must hold a JSON object of inputs', 'like {"article": "Long."}')
}

/** The error for an unknown name, which would otherwise be ignored silently. */
function unknown(name: string, inputs: Flow['inputs']): CommandError {
  const names = Object.keys(inputs)
  const guess = nearest(name, names)
  const meant = guess === undefined ? '' : `, did you mean "${printable(guess)}"?`
  return usageError(
    `"${printable(name.slice(0, 60))}" is not one of the flow’s inputs${meant}`,
    names.length === 0 ? 'it takes none' : `it takes ${names.map(printable).join(', ')}`,
  )
}

function lacks(missing: readonly string[]): CommandError {
  const names = missing.map(name => `"${printable(name)}"`)
  const list = names.length === 1 ? names.join() : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`
  const example = missing.map(name => `--input ${printable(name)}=…`).join(' ')
  return usageError(`the flow’s ${names.length === 1 ? 'input' : 'inputs'} ${list} must be given`, example)
}
