import { printable } from '@farebox/conformance/internal/printable'
import type { Declaration } from '@farebox/protocol/declaration/declaration'
import { cut, type ScreenPaint } from '../../terminal/text.ts'
import type { Field, FieldMap } from '@farebox/protocol/fields/field'

export interface DescribeOptions {
  /** The number of characters in a line; longer lines are cut. */
  readonly columns: number
  readonly paint: ScreenPaint
}

/**
 * One line for each capability: name, price, input, output.
 *
 * `  count   0.002 USDC   text: string (1–20,000), top?: integer   →  words: integer`
 *
 * When a line does not fit, outputs are shown by name only; if that is not enough, on a separate line. A line that still
 * does not fit is cut.
 */
export function describeCapabilities(declaration: Declaration, options: DescribeOptions): readonly string[] {
  const forms = [tableOf(declaration, 'types'), tableOf(declaration, 'names')]
  const fitting = forms.find(rows => rows.every(row => widthOf(row.join('')) <= options.columns))
  if (fitting !== undefined) return fitting.map(row => paintRow(row, options))
  return tableOf(declaration, 'types').flatMap(row => inTwoLines(row, options))
}

/** Name, price, input and output; each starts with a space and is padded so that the columns are aligned. */
type Row = readonly [name: string, price: string, input: string, output: string]

function tableOf(declaration: Declaration, outputs: 'types' | 'names'): readonly Row[] {
  const capabilities = Object.entries(declaration.capabilities)
  const decimals = Math.max(...capabilities.map(([, { pricing }]) => decimalsOf(pricing.amount)))
  const rows = capabilities.map(([name, { pricing, input_schema: input, output_schema: output }]) => [
    printable(name),
    `${withDecimals(pricing.amount, decimals)} ${pricing.currency}`,
    printable(describeFields(input, 'input')) || 'nothing',
    printable(outputs === 'types' ? describeFields(output, 'output') : Object.keys(output).join(', ')) ||
      'nothing',
  ])
  const width = (column: number): number => Math.max(...rows.map(row => widthOf(row[column] ?? '')))
  const [names, prices, inputs] = [width(0), width(1), width(2)]
  return rows.map(([name = '', price = '', input = '', output = '']): Row => [
    `  ${padEnd(name, names)}`,
    `   ${price.padStart(prices)}`,
    `   ${padEnd(input, inputs)}`,
    `   →  ${output}`,
  ])
}

function paintRow([name, price, input, output]: Row, { columns, paint }: DescribeOptions): string {
  const room = columns - widthOf(name + price)
  if (room < 0) return cut(name + price, columns)
  return paint.bold(name) + paint.green(price) + cut(`${input}${output}`.trimEnd(), room)
}

function inTwoLines([name, price, input, output]: Row, options: DescribeOptions): readonly string[] {
  const indent = ' '.repeat(widthOf(name + price))
  return [paintRow([name, price, input.trimEnd(), ''], options), cut(`${indent}${output}`, options.columns)]
}

function decimalsOf(amount: string): number {
  return amount.split('.')[1]?.length ?? 0
}

/** Pads an amount with zeros: `0.01` with three decimals is `0.010`. */
function withDecimals(amount: string, decimals: number): string {
  const [whole = '', fraction = ''] = amount.split('.')
  return decimals === 0 ? whole : `${whole}.${fraction.padEnd(decimals, '0')}`
}

function widthOf(text: string): number {
  return [...text].length
}

function padEnd(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - widthOf(text)))
}

/**
 * Formats fields in one line: `text: string (1–20,000), top?: integer = 10`. A question mark means an optional field, an
 * equals sign its default.
 */
export function describeFields(fields: FieldMap, side: 'input' | 'output'): string {
  const described = Object.entries(fields).map(
    ([name, field]) => `${name}${isOptional(field, side) ? '?' : ''}: ${shortField(field)}`,
  )
  return described.join(', ')
}

/** Describes the values of a field: `string (≤ 500)`, `"day" | "night"`, `number[] (2–3)`. */
export function shortField(field: Field): string {
  const bounds = boundsOf(field)
  const byDefault = field.default === undefined ? '' : ` = ${JSON.stringify(field.default)}`
  return `${typeOf(field)}${bounds === '' ? '' : ` (${bounds})`}${byDefault}`
}

/** D20: by default an output field is required and an input field is optional. */
function isOptional(field: Field, side: 'input' | 'output'): boolean {
  return side === 'input' ? field.required !== true : field.required === false
}

/** More choices than these are counted instead of listed. */
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
