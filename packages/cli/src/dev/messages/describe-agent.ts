import type { Declaration } from '@farebox/protocol/declaration/declaration'
import type { Paint } from '../../terminal/paint.ts'
import { printable } from '../../terminal/printable.ts'
import { describeFields } from './describe-field.ts'

/** Where the lines go. */
export interface DescribeOptions {
  /** Characters in a line: longer ones are cut. */
  readonly columns: number
  readonly paint: Paint
}

/**
 * A line for each capability: name, price, what goes in, what comes out.
 *
 * `  count   0.002 USDC   text: string (1–20,000), top?: integer   →  words: integer`
 *
 * Where a line would not fit, outputs are shown by their names alone; where that does not help, on a line of their
 * own. What still does not fit is cut.
 */
export function describeCapabilities(declaration: Declaration, options: DescribeOptions): readonly string[] {
  const forms = [tableOf(declaration, 'types'), tableOf(declaration, 'names')]
  const fitting = forms.find(rows => rows.every(row => widthOf(row.join('')) <= options.columns))
  if (fitting !== undefined) return fitting.map(row => paintRow(row, options))
  return tableOf(declaration, 'types').flatMap(row => inTwoLines(row, options))
}

/** Name, price, input, output: each with the space before it, padded so that the columns stand below each other. */
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

/** The output below the input. */
function inTwoLines([name, price, input, output]: Row, options: DescribeOptions): readonly string[] {
  const indent = ' '.repeat(widthOf(name + price))
  return [paintRow([name, price, input.trimEnd(), ''], options), cut(`${indent}${output}`, options.columns)]
}

/** The text, its end replaced by `…` where it is too long. */
export function cut(text: string, columns: number): string {
  const characters = [...text]
  return characters.length <= columns ? text : `${characters.slice(0, Math.max(0, columns - 1)).join('')}…`
}

function decimalsOf(amount: string): number {
  return amount.split('.')[1]?.length ?? 0
}

/** Padded with zeros, as text: `0.01` with three is `0.010`. */
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
