import type { Field, FieldMap } from '@farebox/protocol/fields/field'

/**
 * Fields in a line: `text: string (1–20,000), top?: integer = 10`. A question mark stands for what may be left
 * out, an equals sign for what is there then.
 */
export function describeFields(fields: FieldMap, side: 'input' | 'output'): string {
  const described = Object.entries(fields).map(
    ([name, field]) => `${name}${isOptional(field, side) ? '?' : ''}: ${describeField(field)}`,
  )
  return described.join(', ')
}

/** What a field takes, in a few words: `string (≤ 500)`, `"day" | "night"`, `number[] (2–3)`. */
export function describeField(field: Field): string {
  const bounds = boundsOf(field)
  const byDefault = field.default === undefined ? '' : ` = ${JSON.stringify(field.default)}`
  return `${typeOf(field)}${bounds === '' ? '' : ` (${bounds})`}${byDefault}`
}

/** D20: an output field is required where nothing is said, an input field is not. */
function isOptional(field: Field, side: 'input' | 'output'): boolean {
  return side === 'input' ? field.required !== true : field.required === false
}

/** More than these are counted, not listed. */
const MAX_CHOICES = 4

function typeOf(field: Field): string {
  if (field.enum !== undefined) {
    const shown = field.enum.slice(0, MAX_CHOICES).map(value => JSON.stringify(value))
    return [...shown, ...(field.enum.length > MAX_CHOICES ? ['…'] : [])].join(' | ')
  }
  if (field.type === 'array') return `${field.items === undefined ? 'any' : itemOf(field.items)}[]`
  if (field.type === 'object' && field.properties !== undefined)
    return `{${Object.keys(field.properties).join(', ')}}`
  return field.type
}

function itemOf(item: Field): string {
  const type = typeOf(item)
  return type.includes(' | ') ? `(${type})` : type
}

function boundsOf(field: Field): string {
  const range =
    field.type === 'string'
      ? rangeOf(field.minLength, field.maxLength)
      : field.type === 'array'
        ? rangeOf(field.minItems, field.maxItems)
        : rangeOf(field.minimum, field.maximum)
  const rules = [field.format, field.pattern === undefined ? undefined : `/${field.pattern}/`]
  return [range, ...rules].filter(rule => rule !== undefined && rule !== '').join(', ')
}

function rangeOf(least: number | undefined, most: number | undefined): string {
  if (least !== undefined && most !== undefined)
    return least === most ? count(least) : `${count(least)}–${count(most)}`
  if (least !== undefined) return `≥ ${count(least)}`
  return most === undefined ? '' : `≤ ${count(most)}`
}

/** `20,000` */
function count(value: number): string {
  return value.toLocaleString('en-US', { maximumFractionDigits: 20 })
}
