import type { Capability, Declaration } from '@farebox/protocol/declaration/declaration'
import type { Field, FieldMap, JsonValue, Side } from '@farebox/protocol/fields/field'
import { commentText, MAX_COLUMNS, propertyName, stringLiteral } from './source-text.ts'
import { wrap } from '../terminal/text.ts'
import { fieldSentences } from './describe-field.ts'

/** The first line of every file that this command writes; a file without it was written by a person. */
export const TYPES_MARK = '// Written by farebox types'

const HEADER = `${TYPES_MARK} from agent.json; farebox dev keeps it fresh. Do not edit.`

/**
 * Returns the text of `agent.d.ts`. For each capability it has the types of its handler's input (validated, coerced, with
 * defaults) and output, as `<Name>Input` and `<Name>Output`, and all handlers as `Handlers`; with only one capability, its
 * function also as `Handler`. The same declaration always gives the same text.
 *
 * The types are those of `InferInput` and `InferOutput`. They are aliases, because an interface is not assignable to
 * `JsonObject`, and handlers are properties, because parameters of methods are compared bivariantly.
 *
 * @param declaration validated; its texts and names are untrusted, and none of them can become code
 * @example
 * // handlers.ts
 * import type { Handlers } from './agent.d.ts'
 * export default { count: ({ text }) => ({ words: text.split(/\s+/).length }) } satisfies Handlers
 */
export function typesOf(declaration: Declaration): string {
  const names = Object.keys(declaration.capabilities)
  const typeNames = nameTypes(names)
  const capabilities = Object.entries(declaration.capabilities).map(([name, capability]) => ({
    name,
    typeName: typeNames.get(name) ?? '',
    capability,
  }))
  const types = [...capabilities.flatMap(capabilityTypes), handlersType(capabilities)]
  const [only, second] = names
  if (only !== undefined && second === undefined) types.push(handlerType(only))
  return `${[HEADER, importLine(capabilities), ...types].join('\n\n')}\n`
}

interface NamedCapability {
  readonly name: string
  /** `Count` for the types `CountInput` and `CountOutput`. */
  readonly typeName: string
  readonly capability: Capability
}

function capabilityTypes({ typeName, capability }: NamedCapability): readonly string[] {
  return [
    `export type ${typeName}Input = ${typeOfFields(capability.input_schema, 'input')}`,
    `export type ${typeName}Output = ${typeOfFields(capability.output_schema, 'output')}`,
  ]
}

function handlersType(capabilities: readonly NamedCapability[]): string {
  const handlers = capabilities.map(({ name, typeName, capability }) => {
    const price = `${capability.pricing.amount} ${capability.pricing.currency} a job`
    const input = `input: ${typeName}Input, context: JobContext`
    const output = `${typeName}Output | Promise<${typeName}Output>`
    const doc = docComment([capability.description, price], '  ')
    const line = `  ${propertyName(name)}: (${input}) => ${output}`
    if (line.length <= MAX_COLUMNS) return doc + line
    return `${doc}  ${propertyName(name)}: (\n    ${input.replace(', ', ',\n    ')},\n  ) => ${output}`
  })
  return `export type Handlers = {\n${handlers.join('\n')}\n}`
}

function handlerType(only: string): string {
  const doc = docComment(['For a default export that is just the function'], '')
  return `${doc}export type Handler = Handlers[${stringLiteral(only)}]`
}

/** Imports only what is used, because many editors warn about unused imports. */
function importLine(capabilities: readonly NamedCapability[]): string {
  const schemas = capabilities.flatMap(({ capability }) => [
    capability.input_schema,
    capability.output_schema,
  ])
  const fields = schemas.flatMap(schema => Object.values(schema)).flatMap(withInner)
  const open = fields.filter(field => field.enum === undefined)
  const names = [
    'JobContext',
    ...(open.some(({ type, properties }) => type === 'object' && properties === undefined)
      ? ['JsonObject']
      : []),
    ...(open.some(({ type, items }) => type === 'array' && items === undefined) ? ['JsonValue'] : []),
  ]
  return `import type { ${names.join(', ')} } from 'farebox'`
}

function withInner(field: Field): readonly Field[] {
  if (field.enum !== undefined) return [field]
  const inner = field.type === 'array' ? [field.items] : Object.values(field.properties ?? {})
  return [field, ...inner.filter(one => one !== undefined).flatMap(withInner)]
}

/**
 * Assigns each capability a unique name in Pascal case: `text-stats` → `TextStats`, a second one with the same result →
 * `TextStats2`. The declared order is used, so that a capability added at the end renames no other.
 */
function nameTypes(capabilities: readonly string[]): ReadonlyMap<string, string> {
  const taken = new Set<string>()
  return new Map(
    capabilities.map(capability => {
      const name = firstFree(pascalCase(capability), taken)
      taken.add(name)
      return [capability, name]
    }),
  )
}

/**
 * Letters of long-established scripts (Latin, Greek, Cyrillic, Japanese, Chinese, Korean). Newer letters are valid in
 * identifiers for some tools only.
 */
const WORD =
  /[A-Za-z0-9\u00C0-\u00D6\u00D8-\u00F6\u00F8-\u0217\u0391-\u03A1\u03A3-\u03CE\u0401-\u040C\u040E-\u044F\u0451-\u045C\u3041-\u3094\u30A1-\u30FA\u4E00-\u9FA5\uAC00-\uD7A3]+/g

function pascalCase(capability: string): string {
  const words = capability.normalize('NFC').match(WORD) ?? []
  const name = words.map(word => word.charAt(0).toUpperCase() + word.slice(1)).join('')
  return /^(?:\d|$)/.test(name) ? `Capability${name}` : name
}

function firstFree(name: string, taken: ReadonlySet<string>): string {
  for (let number = 1; ; number += 1) {
    const candidate = number === 1 ? name : `${name}${number}`
    if (!taken.has(candidate)) return candidate
  }
}

const INDENT = '  '

/**
 * Formats a map of fields as an object type, equal to its `InferInput` or `InferOutput` (D18, D20): an input may be absent
 * unless it is required or has a default, an output only when it declares `required: false`.
 *
 * @param indent the indentation of the line on which it begins
 */
function typeOfFields(fields: FieldMap, side: Side, indent = ''): string {
  const inner = indent + INDENT
  const properties = Object.entries(fields).map(([name, field]) => {
    const absent = mayBeAbsent(field, side)
    const start = `${inner}${propertyName(name)}${absent ? '?' : ''}: `
    const members = membersOf(field, { side, indent: inner, column: start.length })
    // A handler may also return an explicit `undefined`.
    if (absent && side === 'output') members.push('undefined')
    const line = fits(members, start.length)
      ? start + members.join(' | ')
      : start.trimEnd() + stacked(members, inner)
    return docComment(fieldSentences(field, side), inner) + line
  })
  return properties.length === 0 ? '{}' : `{\n${properties.join('\n')}\n${indent}}`
}

function mayBeAbsent(field: Field, side: Side): boolean {
  if (side === 'output') return field.required === false
  return field.required !== true && field.default === undefined
}

interface Place {
  readonly side: Side
  readonly indent: string
  /** The number of characters in the line before the type. */
  readonly column: number
}

/** The members of the union that is a field's type; usually one. */
function membersOf(field: Field, place: Place): string[] {
  if (field.enum !== undefined) return field.enum.map(literalType)
  switch (field.type) {
    case 'string':
    case 'boolean':
      return [field.type]
    case 'number':
    case 'integer':
      return ['number']
    case 'object':
      return [
        field.properties === undefined
          ? 'JsonObject'
          : typeOfFields(field.properties, place.side, place.indent),
      ]
    case 'array':
      return [typeOfArray(field.items, place)]
  }
}

function typeOfArray(items: Field | undefined, place: Place): string {
  // The handler's result is only read.
  const readonly = place.side === 'output' ? 'readonly ' : ''
  if (items === undefined) return `${readonly}JsonValue[]`
  const members = membersOf(items, place)
  const [only = 'never', second] = members
  if (second === undefined) return `${readonly}${only.startsWith('readonly ') ? `(${only})` : only}[]`
  if (fits(members, place.column)) return `${readonly}(${members.join(' | ')})[]`
  return `${readonly}(${stacked(members, place.indent)}\n${place.indent})[]`
}

function literalType(value: JsonValue): string {
  if (typeof value === 'string') return stringLiteral(value)
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(literalType).join(', ')}]`
  const properties = Object.entries(value).map(
    ([name, inner]) => `${propertyName(name)}: ${literalType(inner)}`,
  )
  return properties.length === 0 ? '{}' : `{ ${properties.join('; ')} }`
}

/** Returns whether the union fits on the line; a member with several lines is not changed. */
function fits(members: readonly string[], column: number): boolean {
  const line = members.join(' | ')
  return members.length === 1 || line.includes('\n') || column + line.length <= MAX_COLUMNS
}

function stacked(members: readonly string[], indent: string): string {
  return members.map(member => `\n${indent}${INDENT}| ${member}`).join('')
}

/**
 * Formats a comment above a declaration, including its line end: on one line if it fits, else wrapped; empty when there is
 * nothing to say. Each sentence ends with a full stop.
 *
 * @param sentences in order; empty ones are left out
 */
function docComment(sentences: readonly string[], indent: string): string {
  const text = sentences
    .map(asSentence)
    .filter(sentence => sentence !== '')
    .join(' ')
  if (text === '') return ''
  const line = `${indent}/** ${withoutTag(text)} */`
  if (line.length <= MAX_COLUMNS) return `${line}\n`
  const lines = wrap(text, MAX_COLUMNS - indent.length - 3).map(withoutTag)
  return `${[`${indent}/**`, ...lines.map(one => `${indent} * ${one}`), `${indent} */`].join('\n')}\n`
}

function asSentence(text: string): string {
  const clean = commentText(text)
  return clean === '' || /[.!?:;…。！？]$/u.test(clean) ? clean : `${clean}.`
}

/** At the start of a line, an `@` would begin a tag or a compiler directive. */
function withoutTag(line: string): string {
  return line.replace(/^@/, String.raw`\@`)
}
