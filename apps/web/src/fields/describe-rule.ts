import type { Field } from '@farebox/protocol/fields/field'
import { formatCount } from '../format/share.ts'
import { cutText } from '../format/cut-text.ts'

/**
 * The rule of a field in a few words: `50 to 1,000`, `1 to 20,000 characters`, `at most 10`. Empty when any value is
 * allowed.
 */
export function describeRule(field: Field): string {
  switch (field.type) {
    case 'string':
      return [describeRange(field.minLength, field.maxLength, 'characters'), field.format]
        .filter(isSaid)
        .join(', ')
    case 'number':
    case 'integer':
      return describeRange(field.minimum, field.maximum, '') ?? ''
    case 'array':
      return describeRange(field.minItems, field.maxItems, 'entries') ?? ''
    case 'boolean':
    case 'object':
      return ''
  }
}

/** The rule as shown in a table: whether the field is required, its range, and its default. */
export function describeWhole(field: Field, required: boolean): string {
  const choices =
    field.enum === undefined
      ? ''
      : field.enum
          .slice(0, 6)
          .map(value => cutText(JSON.stringify(value), 40))
          .join(', ')
  const standard = field.default === undefined ? '' : `default ${cutText(JSON.stringify(field.default), 40)}`
  return [required ? 'required' : '', choices, describeRule(field), standard].filter(isSaid).join(', ')
}

function describeRange(
  least: number | undefined,
  most: number | undefined,
  unit: string,
): string | undefined {
  const words = unit === '' ? '' : ` ${unit}`
  if (least !== undefined && least !== 0 && most !== undefined)
    return `${write(least)} to ${write(most)}${words}`
  if (most !== undefined && least === 0) return `0 to ${write(most)}${words}`
  if (most !== undefined) return `at most ${write(most)}${words}`
  if (least !== undefined && least > 0) return `at least ${write(least)}${words}`
  return undefined
}

function write(number: number): string {
  return Number.isInteger(number)
    ? `${number < 0 ? '−' : ''}${formatCount(Math.abs(number))}`
    : String(number)
}

function isSaid(text: string | undefined): text is string {
  return text !== undefined && text !== ''
}
