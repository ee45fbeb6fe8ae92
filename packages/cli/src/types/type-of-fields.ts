import type { Field, FieldMap, JsonValue, Side } from '@farebox/protocol/fields/field'
import { describeField } from './describe-field.ts'
import { docComment } from './doc-comment.ts'
import { MAX_COLUMNS, propertyName, stringLiteral } from './source-text.ts'

const INDENT = '  '

/**
 * A map of fields as an object type, the same as `InferInput` or `InferOutput` of it (D18, D20): what goes in may
 * be absent unless it is required or has a default, what comes out only where it says `required: false`.
 *
 * @param indent of the line on which it begins
 */
export function typeOfFields(fields: FieldMap, side: Side, indent = ''): string {
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
    return docComment(describeField(field, side), inner) + line
  })
  return properties.length === 0 ? '{}' : `{\n${properties.join('\n')}\n${indent}}`
}

function mayBeAbsent(field: Field, side: Side): boolean {
  if (side === 'output') return field.required === false
  return field.required !== true && field.default === undefined
}

interface Place {
  readonly side: Side
  /** Of the line. */
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

/** The type of one JSON value and no other. */
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

/** A line for each member, as formatters break unions. */
function stacked(members: readonly string[], indent: string): string {
  return members.map(member => `\n${indent}${INDENT}| ${member}`).join('')
}
