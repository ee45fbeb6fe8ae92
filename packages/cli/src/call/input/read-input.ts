import { printable } from '@farebox/conformance/internal/printable'
import { isObject } from '@farebox/protocol/internal/guards/json'
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Capability } from '@farebox/protocol/declaration/declaration'
import { nearest } from '@farebox/protocol/internal/problems/nearest'
import { compileInput } from '@farebox/protocol/fields/compile'
import type { FieldMap, JsonObject } from '@farebox/protocol/fields/field'
import { setOwn } from '@farebox/protocol/internal/fields/plain-json'
import { MAX_BODY_BYTES } from '@farebox/protocol/limits'
import { usageError } from '../../command-error.ts'
import type { World } from '../../world.ts'
import { askMissingFields } from './ask-missing-fields.ts'
import { parseInput, readFieldFlags } from './field-flags.ts'

export interface InputArguments {
  readonly args: readonly string[]
  /** The `name=value` pairs of `--field`. */
  readonly named: readonly string[]
  /** The value of `--input`. */
  readonly input: string | undefined
}

export function saysInput({ args, named, input }: InputArguments): boolean {
  return args.length > 0 || named.length > 0 || input !== undefined
}

/**
 * Reads the input of a job: starts with `--input`, applies the flags, asks for missing fields, then validates and coerces
 * the result as the agent will (D19, D20). The validated input is the one that is sent.
 */
export async function readInput(
  world: World,
  given: InputArguments,
  { input_schema: fields }: Capability,
): Promise<JsonObject> {
  const flags = readFieldFlags(given.args, given.named, fields)
  const base = given.input === undefined ? {} : await readWhole(world, given.input)
  tellUndeclared(world, base, fields)
  const input = await askMissingFields(world, merge(base, flags), fields)
  const checked = compileInput(fields)(input)
  if (!checked.ok) {
    const { field, reason } = checked.violation
    throw usageError(`--${printable(field)}: ${printable(reason)}`, 'nothing was sent')
  }
  // The other parts of the request body take a few hundred bytes.
  if (Buffer.byteLength(JSON.stringify(checked.value)) > MAX_BODY_BYTES - 1_024) {
    throw usageError('the input is larger than the 1 MB that an agent takes', 'nothing was sent')
  }
  return checked.value
}

async function readWhole(world: World, given: string): Promise<JsonObject> {
  const text = await readText(world, given)
  const value = parseInput(text.replace(/^\uFEFF/, ''))
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  const from = given === '-' ? ' of the standard input' : given.startsWith('@') ? ' of the file' : ''
  throw usageError(
    value === undefined
      ? `--input: the text${from} is not JSON`
      : `--input: the JSON${from} must be an object of fields`,
    `like --input '{"text":"hello world"}', --input @file.json, or --input - for standard input`,
  )
}

async function readText(world: World, given: string): Promise<string> {
  if (given === '-') return await world.readInput()
  if (!given.startsWith('@')) return given
  const path = given.slice(1)
  return await readFile(resolve(world.folder, path), 'utf8').catch((cause: unknown) => {
    throw usageError(`--input: the file ${printable(path)} cannot be read`, 'check its name', cause)
  })
}

/**
 * Reports undeclared fields before anything is paid, because an agent would silently drop them (D20), for example a
 * mistyped one.
 */
function tellUndeclared(world: World, base: JsonObject, fields: FieldMap): void {
  for (const name of Object.keys(base)) {
    if (Object.hasOwn(fields, name)) continue
    const guess = nearest(
      name,
      Object.keys(fields).filter(one => !Object.hasOwn(base, one)),
    )
    const what = `--input: "${printable(name.slice(0, 60))}" is not one of its fields`
    if (guess !== undefined)
      throw usageError(`${what}, did you mean "${printable(guess)}"?`, 'nothing was sent')
    world.err.write(`  ${what} and is left out\n`)
  }
}

function merge(base: JsonObject, over: JsonObject): JsonObject {
  const merged: JsonObject = {}
  for (const [name, value] of Object.entries(base)) setOwn(merged, name, value)
  for (const [name, value] of Object.entries(over)) {
    const before = Object.hasOwn(merged, name) ? merged[name] : undefined
    setOwn(merged, name, isObject(before) && isObject(value) ? merge(before, value) : value)
  }
  return merged
}
