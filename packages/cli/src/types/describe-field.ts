import type { Field, JsonValue, Side } from '@farebox/protocol/fields/field'

/**
 * Describes what a type cannot express about a field, in sentences: its title, its description, and its bounds, as in `At
 * least 1 character, default "en".`
 */
export function fieldSentences(field: Field, side: Side): readonly string[] {
  const { title = '', description = '' } = field
  const facts = [
    ...factsOf(field),
    ...itemFacts(field.items),
    // Defaults are not applied to an output.
    ...(side === 'input' && field.default !== undefined ? [`default \`${shortJson(field.default)}\``] : []),
  ]
  return [title === description ? '' : title, description, capitalized(facts.join(', '))]
}

function factsOf(field: Field): readonly string[] {
  const { type, minLength, maxLength, minimum, maximum, minItems, maxItems, pattern, format } = field
  const facts = [
    // The values of an enum need no bounds.
    type === 'integer' && field.enum === undefined ? 'whole number' : undefined,
    counted(minLength, maxLength, 'character'),
    range(minimum, maximum),
    counted(minItems, maxItems, 'item'),
    format === undefined ? undefined : `format \`${format}\``,
    pattern === undefined ? undefined : `matches \`${pattern}\``,
  ]
  return facts.filter(fact => fact !== undefined)
}

function itemFacts(items: Field | undefined): readonly string[] {
  const facts = items === undefined || items.type === 'array' ? [] : factsOf(items)
  return facts.length === 0 ? [] : [`each: ${facts.join(', ')}`]
}

/** Formats a count: `1–20,000 characters`, `at least 1 character`, `exactly 3 items`. */
function counted(min: number | undefined, max: number | undefined, noun: string): string | undefined {
  const bounds = range(min, max)
  if (bounds === undefined) return undefined
  return `${min !== undefined && min === max ? 'exactly ' : ''}${bounds} ${(max ?? min) === 1 ? noun : `${noun}s`}`
}

/** Formats a range: `0–100`, `-5 to 5`, `at most 100`. */
function range(min: number | undefined, max: number | undefined): string | undefined {
  if (min === undefined) return max === undefined ? undefined : `at most ${grouped(max)}`
  if (max === undefined) return `at least ${grouped(min)}`
  if (min === max) return grouped(min)
  return min < 0 ? `${grouped(min)} to ${grouped(max)}` : `${grouped(min)}–${grouped(max)}`
}

/** Groups digits with commas, unless the number is written with an exponent. */
function grouped(number: number): string {
  return Number.isSafeInteger(number) ? number.toLocaleString('en-US') : String(number)
}

const MAX_SHOWN_CHARACTERS = 60

function shortJson(value: JsonValue): string {
  const json = JSON.stringify(value)
  return json.length <= MAX_SHOWN_CHARACTERS
    ? json
    : `${Array.from(json).slice(0, MAX_SHOWN_CHARACTERS).join('')}…`
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
