import { printable, printableJson } from '@farebox/conformance/internal/printable'
import type { FieldMap, JsonObject, JsonValue } from '@farebox/protocol/fields/field'
import { CALL_OPTIONS } from './input/field-flags.ts'

export interface CommandLine {
  readonly url: string
  readonly capability: string
  readonly input: JsonObject
  readonly fields: FieldMap
  /** `['--max-price', '0.05']` */
  readonly options?: readonly string[]
}

/**
 * Returns the arguments of a call with this input, as the program would receive them. Names and values are untrusted: an
 * input that flags cannot express plainly is passed through `--input`.
 */
export function commandArguments({
  url,
  capability,
  input,
  fields,
  options = [],
}: CommandLine): readonly string[] {
  // A name that would be read as an option is left out; a person at a terminal is asked for it.
  const named = capability.startsWith('-') || printable(capability) !== capability ? [] : [capability]
  return ['farebox', 'call', url, ...named, ...(flagsOf(input, fields) ?? wholeOf(input)), ...options]
}

/**
 * Formats the arguments as a line for a POSIX shell, quoted where necessary. A shell interprets nothing within single
 * quotes, so a pasted line does exactly what it shows.
 */
export function shellLine(args: readonly string[]): string {
  return args
    .map(word => (/^[\w@%+:,./-][\w@%+=:,./-]*$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`))
    .join(' ')
}

/** Returns `undefined` when a part of the input cannot be a flag. */
function flagsOf(input: JsonObject, fields: FieldMap): readonly string[] | undefined {
  const args: string[] = []
  for (const [name, value] of Object.entries(input)) {
    const flag = flagOf(name, value, Object.hasOwn(fields, name) ? fields[name]?.type : undefined)
    if (flag === undefined) return undefined
    args.push(...flag)
  }
  return args
}

function flagOf(name: string, value: JsonValue, type: string | undefined): readonly string[] | undefined {
  if (!/^[A-Za-z_][\w-]*$/.test(name) || type === undefined) return undefined
  // As text the value would be refused, because a parser may already have changed its digits (D19).
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) return undefined
  const text = typeof value === 'string' ? value : printableJson(value)
  if (printable(text) !== text || text.length > MAX_FLAG_CHARACTERS) return undefined
  const isReserved = CALL_OPTIONS.includes(name) || KEY_NAMES.test(name) || /[0-9a-f]{64}/i.test(text)
  if (isReserved) return ['--field', `${name}=${text}`]
  if (type === 'boolean' && value === true) return [`--${name}`]
  if (type === 'boolean' || text.startsWith('-') || text === '') return [`--${name}=${text}`]
  return [`--${name}`, text]
}

/** Longer flags are hard to read. */
const MAX_FLAG_CHARACTERS = 200

/** Names that are refused as flags, because other options use them for keys. */
const KEY_NAMES = /^(?:private-?key|secret-?key|key|pk|mnemonic|password|h|version)$/i

function wholeOf(input: JsonObject): readonly string[] {
  return ['--input', printableJson(input)]
}
