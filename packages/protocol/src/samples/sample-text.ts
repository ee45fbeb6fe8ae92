import { countCodePoints } from '../fields/code-points.ts'
import type { Field } from '../fields/field.ts'
import { FORMAT_EXAMPLES, isFormat, type Format } from '../fields/formats.ts'
import { samplePattern } from './sample-pattern.ts'

/**
 * Texts that a string field may accept, the likeliest first; the caller checks each. None when the field requires more than
 * 10,000 characters: such a sample is useless to people.
 */
export function* sampleText(field: Field): Generator<string> {
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY, pattern, format } = field
  if (minLength > MAX_SAMPLE_CHARACTERS) return
  if (format !== undefined && isFormat(format)) yield* sampleFormat(format, minLength)
  if (pattern !== undefined) yield* paddedTo(minLength, samplePattern(pattern))
  const length = Math.max(minLength, Math.min(4, maxLength))
  yield length <= 4 ? 'text'.slice(0, length) : sentences(length)
}

const MAX_SAMPLE_CHARACTERS = 10_000

/** Readable words of exactly the given length. */
function sentences(length: number): string {
  const sentence = 'Sample text. '
  const text = sentence.repeat(Math.ceil(length / sentence.length)).slice(0, length)
  return text.endsWith(' ') ? `${text.slice(0, -1)}.` : text
}

/** Lengthens texts for a pattern without anchors, which allows more characters on both sides. */
function* paddedTo(minLength: number, texts: Iterable<string>): Generator<string> {
  for (const text of texts) {
    yield text
    const missing = minLength - countCodePoints(text)
    if (missing <= 0) continue
    yield text + 'a'.repeat(missing)
    yield 'a'.repeat(missing) + text
  }
}

/** A usual text, the shortest one, and, if the format allows it, one of exactly the given length. */
function sampleFormat(format: Format, length: number): string[] {
  const usual = [FORMAT_EXAMPLES[format]]
  switch (format) {
    case 'date-time':
      return [...usual, `2026-01-31T12:00:00.${'0'.repeat(Math.max(1, length - 21))}Z`]
    case 'time':
      return [...usual, `12:00:00.${'0'.repeat(Math.max(1, length - 10))}Z`]
    case 'email':
      return [...usual, 'a@b', `${'a'.repeat(Math.min(64, length))}@${hostname(length - 65)}`]
    case 'uri':
      return [...usual, 'a:', `https://example.org/${'a'.repeat(Math.max(0, length - 20))}`]
    case 'hostname':
      return [...usual, 'a', hostname(length)]
    case 'ipv4':
      return [...usual, '1.1.1.1', '192.168.100.200']
    case 'ipv6':
      return [
        ...usual,
        '::',
        '2001:0db8:0000:0000:0000:0000:0000:0001',
        '0000:0000:0000:0000:0000:ffff:192.168.100.200',
      ]
    case 'date':
    case 'uuid':
      return usual
  }
}

/** Labels of at most 63 letters joined by dots, `length` characters in all. */
function hostname(length: number): string {
  const dotted = `${'a'.repeat(62)}.`.repeat(Math.ceil(Math.max(1, length) / 63))
  return dotted.slice(0, Math.max(1, length)).replace(/\.$/, 'a')
}
