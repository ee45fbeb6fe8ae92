import type { Capability, Declaration } from '@farebox/protocol/declaration/declaration'
import type { Field, FieldMap, JsonValue, Side } from '@farebox/protocol/fields/field'
import { commentText, MAX_COLUMNS, propertyName, stringLiteral } from './source-text.ts'
import { wrap } from '../terminal/text.ts'
import { fieldSentences } from './describe-field.ts'

/** How every file begins that is written here; one without it is somebody's own. */
export const TYPES_MARK = '// Written by farebox types'

const HEADER = `${TYPES_MARK} from agent.json; farebox dev keeps it fresh. Do not edit.`

/**
 * The text of `agent.d.ts`: for each capability what its handler gets (checked, coerced, defaults filled in) and
 * must return, as `<Name>Input` and `<Name>Output`, and all of the handlers as `Handlers`; where there is one
 * capability, its function as `Handler` too. The same declaration always gives the same text.
 *
 * The types are those of `InferInput` and `InferOutput`. They are aliases, because an interface is no
 * `JsonObject`, and handlers are properties, because parameters of methods are compared loosely.
 *
 * @param declaration checked; its texts and names may be a stranger's: none of them can end up as code
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
  /** `Count`, of which the types are `CountInput` and `CountOutput`. */
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

/** Only what is used: an unused import is a warning in many an editor. */
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
 * A name in Pascal case for each capability, no two alike: `text-stats` → `TextStats`, a second one that comes to
 * the same → `TextStats2`. In declared order, so that adding a capability at the end renames none.
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
 * Letters that have been letters since long before any tool in use: newer ones are in identifiers here and not
 * there. Latin, Greek, Cyrillic, Japanese, Chinese, Korean.
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
 * A map of fields as an object type, the same as `InferInput` or `InferOutput` of it (D18, D20): what goes in may
 * be absent unless it is required or has a default, what comes out only where it says `required: false`.
 *
 * @param indent of the line on which it begins
 */
function typeOfFields(fields: FieldMap, side: Side, indent = ''): string {
  const inner = indent + INDENT
  const properties = Object.entries(fields).map(([name, field]) => {
    const absent = mayBeAbsent(field, side)
    const start = `${inner}${propertyName(name)}${absent ? '?' : ''}: `
    const members = membersOf(field, { side, indent: inner, column: start.length })
    // A handler may also say outright that there is nothing.
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
  /** Characters of the line before the type. */
  readonly column: number
}

/** The members of the union that a field's type is; mostly one. */
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
  // What a handler returns is only read.
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

/** Whether the union goes on the line; what is several lines already stays as it is. */
function fits(members: readonly string[], column: number): boolean {
  const line = members.join(' | ')
  return members.length === 1 || line.includes('\n') || column + line.length <= MAX_COLUMNS
}

function stacked(members: readonly string[], indent: string): string {
  return members.map(member => `\n${indent}${INDENT}| ${member}`).join('')
}

/**
 * A comment above a declaration, its end of line included: on one line where it fits, wrapped where not, nothing
 * where there is nothing to say. Each sentence gets its full stop.
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

/** At the start of a line an `@` begins a tag, or a directive to the compiler. */
function withoutTag(line: string): string {
  return line.replace(/^@/, String.raw`\@`)
}
