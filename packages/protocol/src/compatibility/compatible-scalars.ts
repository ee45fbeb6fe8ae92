import type { Passage } from '../fields/coerce.ts'
import type { Compatibility } from './compatibility.ts'
import type { Field } from '../fields/field.ts'
import { isFormat, type Format } from '../fields/formats.ts'

/** Findings about two fields whose types are compatible, without the contents of arrays and objects. */
export function scalarFindings(output: Field, input: Field, way: Passage): Compatibility[] {
  const findings = typeFindings(output, input, way)
  if (input.type === 'string') findings.push(...textFindings(output, input))
  if (input.type === 'number' || input.type === 'integer') findings.push(...numberFindings(output, input))
  return findings
}

/** Compares the range of the output's values with the range that the input accepts. */
export function rangeFindings(
  produced: Span,
  accepted: Span,
  what: 'length' | 'value' | 'number of items',
): Compatibility[] {
  const unit = what === 'length' ? ' characters' : ''
  const [low, high] = produced
  const [least, most] = accepted
  if (low > most || high < least) {
    return [
      {
        grade: 'impossible',
        reason: `${what} is ${showSpan(produced)}, the input accepts ${showSpan(accepted)}${unit}`,
      },
    ]
  }
  if (low >= least && high <= most) return []
  return [
    {
      grade: 'lossy',
      reason: `can fail at run time: the input accepts a ${what} ${showSpan(accepted)}${unit}`,
    },
  ]
}

/** Lowest and highest value, both included. */
export type Span = readonly [low: number, high: number]

function showSpan([low, high]: Span): string {
  if (high === Number.POSITIVE_INFINITY)
    return low === Number.NEGATIVE_INFINITY ? 'of any size' : `of at least ${low}`
  return low === Number.NEGATIVE_INFINITY || low === 0 ? `of at most ${high}` : `from ${low} to ${high}`
}

function typeFindings(output: Field, input: Field, way: Passage): Compatibility[] {
  if (way === 'always') return [{ grade: 'safe', reason: `every ${output.type} becomes its text` }]
  if (way !== 'sometimes') return []
  if (output.type === 'number') {
    return [{ grade: 'lossy', reason: 'can fail at run time: only whole numbers up to 2^53 − 1 pass' }]
  }
  const word =
    input.type === 'boolean'
      ? '"true" and "false"'
      : `text of ${NOUNS[input.type] ?? input.type} such as "12"`
  const { format } = output
  if (format !== undefined && format !== 'hostname') {
    return [{ grade: 'impossible', reason: `only ${word} can pass, and no ${format} is that` }]
  }
  const texts: Span = input.type === 'boolean' ? TEXT_LENGTHS.boolean : [1, Number.POSITIVE_INFINITY]
  const lengths = rangeFindings(textLength(output), texts, 'length').filter(
    ({ grade }) => grade === 'impossible',
  )
  return [{ grade: 'lossy', reason: `can fail at run time: only ${word} can pass` }, ...lengths]
}

const NOUNS: { readonly [type: string]: string } = { number: 'a number', integer: 'an integer' }

function textFindings(output: Field, input: Field): Compatibility[] {
  const findings = rangeFindings(textLength(output), textLength({ ...input, type: 'string' }), 'length')
  if (input.pattern !== undefined && input.pattern !== output.pattern) {
    findings.push({ grade: 'lossy', reason: `can fail at run time: must match the pattern ${input.pattern}` })
  }
  return [...findings, ...formatFindings(output, input)]
}

/**
 * Shortest and longest text of a field's values in code points; the longest text of a double is `-0.0000012345678901234567`.
 */
function textLength(field: Field): Span {
  if (field.type === 'number' || field.type === 'integer' || field.type === 'boolean')
    return TEXT_LENGTHS[field.type]
  return [field.minLength ?? 0, field.maxLength ?? Number.POSITIVE_INFINITY]
}

const TEXT_LENGTHS = { number: [1, 25], integer: [1, 17], boolean: [4, 5] } as const

function formatFindings(output: Field, { format: wanted }: Field): Compatibility[] {
  if (wanted === undefined || wanted === output.format) return []
  const lossy: Compatibility = { grade: 'lossy', reason: `can fail at run time: must be a valid ${wanted}` }
  const given = output.format
  if (given === undefined || !isFormat(given) || !isFormat(wanted)) return [lossy]
  if (INSIDE[wanted]?.includes(given) === true) return []
  if (OVERLAP[wanted]?.includes(given) === true) return [lossy]
  return [{ grade: 'impossible', reason: `no text is both ${given} and ${wanted}` }]
}

/** Formats whose texts all match the other format too. */
const INSIDE: { readonly [wanted in Format]?: readonly Format[] } = { hostname: ['ipv4', 'uuid', 'date'] }

/** Formats some of whose texts match the other format too: `a::b` is also a URI. */
const OVERLAP: { readonly [wanted in Format]?: readonly Format[] } = {
  ipv4: ['hostname'],
  uuid: ['hostname'],
  date: ['hostname'],
  uri: ['ipv6'],
  ipv6: ['uri'],
}

function numberFindings(output: Field, input: Field): Compatibility[] {
  const accepted = valueSpan(input)
  if (output.type !== 'string') return rangeFindings(valueSpan(output), accepted, 'value')
  return []
}

function valueSpan({ minimum, maximum }: Field): Span {
  return [minimum ?? Number.NEGATIVE_INFINITY, maximum ?? Number.POSITIVE_INFINITY]
}
