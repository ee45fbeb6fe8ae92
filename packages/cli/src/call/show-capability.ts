import { printable, printableJson } from '@farebox/conformance/internal/printable'
import type { Declaration } from '@farebox/protocol/declaration/declaration'
import type { Field, FieldMap, Side } from '@farebox/protocol/fields/field'
import { sample } from '@farebox/protocol/samples/sample'
import { EXIT, type ExitCode } from '../command-error.ts'
import { asTyped, paintFor, wrap } from '../terminal/text.ts'
import { fieldSentences } from '../types/describe-field.ts'
import type { World } from '../world.ts'
import { commandArguments, shellLine } from './command-line.ts'
import type { CallTarget } from './target.ts'

/** `farebox call <url> <capability> --help`: shows its input and output, and a working command line. */
export function showCapability(world: World, shown: CallTarget): ExitCode {
  const { declaration, name, capability } = shown
  const { bold } = paintFor(world.out)
  const { amount } = capability.pricing
  const title = bold(`${printable(declaration.name)} · ${printable(name)}`)
  const terms = `${printable(amount)} USDC a job, answers within ${declaration.max_deadline_seconds} s`
  const lines = [
    `${title}   ${terms}`,
    '',
    ...wrap(printable(capability.description), world.out.columns - 4).map(line => `  ${line}`),
    ...section(world, 'Takes', capability.input_schema, 'input'),
    ...section(world, 'Gives', capability.output_schema, 'output'),
    ...example(world, shown, bold),
  ]
  world.out.write(`${lines.join('\n')}\n`)
  return EXIT.done
}

export function showAgent(
  world: World,
  url: string,
  { name, description, capabilities }: Declaration,
): ExitCode {
  const { bold } = paintFor(world.out)
  const names = Object.keys(capabilities)
  const width = Math.max(...names.map(one => printable(one).length))
  const rows = Object.entries(capabilities).map(
    ([one, { pricing, description }]) =>
      `  ${printable(one).padEnd(width)}  ${printable(pricing.amount)} USDC  ${printable(description)}`,
  )
  const [first = ''] = names
  world.out.write(
    `${[
      bold(printable(name)),
      '',
      ...wrap(printable(description), world.out.columns - 4).map(line => `  ${line}`),
      '',
      ...rows,
      '',
      `  ${asTyped(world, shellLine(['farebox', 'call', url, printable(first), '--help']))}`,
    ].join('\n')}\n`,
  )
  return EXIT.done
}

function section(world: World, title: string, fields: FieldMap, side: Side): readonly string[] {
  const { bold, dim } = paintFor(world.out)
  const rows = Object.entries(fields).map(([name, field]) => rowOf(printable(name), field, side))
  if (rows.length === 0) return side === 'input' ? ['', bold(title), '  nothing'] : []
  const width = Math.min(30, Math.max(...rows.map(({ head }) => head.length)))
  const lines = rows.flatMap(({ head, mark, text }) => {
    const words = wrap(
      `${mark}${mark !== '' && text !== '' ? ' ' : ''}${text}`,
      world.out.columns - width - 6,
    )
    const [first = '', ...more] = words
    const left =
      head.length > width
        ? [`  ${head}`, `  ${' '.repeat(width)}  ${first}`]
        : [`  ${head.padEnd(width)}  ${first}`]
    return [...left, ...more.map(line => `  ${' '.repeat(width)}  ${dim(line)}`)].map(line => line.trimEnd())
  })
  return ['', bold(title), ...lines]
}

function rowOf(
  name: string,
  field: Field,
  side: Side,
): { readonly head: string; readonly mark: string; readonly text: string } {
  // The type is shown next to the text, so the rule that an integer is a whole number is left out.
  const sentences = fieldSentences({ ...field, type: field.type === 'integer' ? 'number' : field.type }, side)
    .filter(one => one !== '')
    .map(one => (/[.!?]$/.test(one) ? one : `${one}.`))
  const { examples: [example] = [] } = field
  if (example !== undefined && side === 'input')
    sentences.push(`Such as ${printableJson(example).slice(0, 60)}.`)
  return {
    head: side === 'input' ? `--${name} ${typeOf(field)}` : `${name} ${typeOf(field)}`,
    mark:
      side === 'input' && field.required === true
        ? 'required.'
        : side === 'output' && field.required === false
          ? 'optional.'
          : '',
    text: printable(sentences.join(' ')),
  }
}

const MAX_ENUM_CHARACTERS = 60

/** Formats a type: `<integer>`, `<string …>` for an array of strings, `<a|b>` for an enum. */
function typeOf({ type, enum: values, items }: Field): string {
  const choices = values
    ?.map(value => (typeof value === 'string' ? printable(value) : printableJson(value)))
    .join('|')
  if (choices !== undefined && choices.length <= MAX_ENUM_CHARACTERS) return `<${choices}>`
  if (type === 'array') return `<${items === undefined ? 'anything' : items.type} …>`
  return `<${type}>`
}

function example(world: World, shown: CallTarget, bold: (text: string) => string): readonly string[] {
  const { url, name, capability } = shown
  const made = sample(withOne(capability.input_schema))
  if (!made.ok) return []
  const { input_schema: fields } = capability
  const line = shellLine(commandArguments({ url, capability: name, input: made.value, fields }))
  return ['', bold('Example'), `  ${asTyped(world, line)}`]
}

function withOne(fields: FieldMap): FieldMap {
  const [first] = Object.entries(fields)
  if (first === undefined || Object.values(fields).some(field => field.required === true)) return fields
  return { ...fields, [first[0]]: { ...first[1], required: true } }
}
