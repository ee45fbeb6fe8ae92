import type { Fault } from '../problems/problem.ts'
import { MAX_PATTERN_CHARACTERS } from '../limits.ts'
import { coerce } from '../fields/coerce.ts'
import { describeValue, quoteText } from '../fields/describe-value.ts'
import type { Field, FieldType, JsonObject, JsonValue } from '../fields/field.ts'
import { FORMATS } from '../fields/formats.ts'
import { shortJson } from './inline-json.ts'

/** The rule of a keyword's setting by itself, independent of the rest of its field: for the check and for editors. */
export interface KeywordRule {
  /** The description that editors show for the keyword. */
  readonly description: string
  /** Undefined for a valid setting. */
  readonly check: (setting: JsonValue) => Fault | undefined
  /** The same rule in JSON Schema, for a field of this type. */
  readonly schema: (type: FieldType) => JsonObject
}

/** Every keyword of the field language (D18). `FIELD_KEYWORDS` lists the keywords of each type. */
const KEYWORD_RULES: { readonly [keyword in keyof Required<Field>]: KeywordRule } = {
  type: {
    description: 'What values are: string, number, integer (whole numbers), boolean, array or object.',
    // Checked before the other keywords of a field: the type determines which keywords are allowed.
    check: () => undefined,
    schema: type => ({ const: type }),
  },
  required: {
    description: 'Whether the field must be there. Inputs: no, unless true. Outputs: yes, unless false.',
    check: checkRequired,
    schema: () => ({ type: 'boolean' }),
  },
  title: anyText('A short name for people.'),
  description: anyText('What the field is for. In forms, the text of an empty input.'),
  examples: {
    description: 'Values that callers may begin with.',
    check: setting =>
      Array.isArray(setting)
        ? undefined
        : { reason: `must be an array, got ${describeValue(setting)}`, fix: bracket(setting) },
    // An example of another type causes only a warning, and the schema accepts everything that the check accepts.
    schema: () => ({ type: 'array' }),
  },
  default: {
    description: 'What the handler gets where the caller sends nothing.',
    check: () => undefined,
    schema: type => ({ type }),
  },
  enum: {
    description: 'The values there are; no other is taken.',
    check: setting =>
      Array.isArray(setting) && setting.length > 0
        ? undefined
        : {
            reason: `must be an array of at least 1 value, got ${describeValue(setting)}`,
            fix: bracket(setting),
          },
    schema: type => ({ type: 'array', items: { type }, minItems: 1, uniqueItems: true }),
  },
  minLength: amount('Fewest characters.'),
  maxLength: amount('Most characters.'),
  pattern: {
    description:
      'A regular expression in RE2 syntax that must match somewhere; ^ and $ tie it to the ends. No lookaheads.',
    check: checkText,
    schema: () => ({ type: 'string', maxLength: MAX_PATTERN_CHARACTERS }),
  },
  format: {
    description: 'What the text is written as; it is checked.',
    check: checkText,
    schema: () => ({ enum: [...FORMATS] }),
  },
  minimum: anyNumber('The least value, itself included.'),
  maximum: anyNumber('The greatest value, itself included.'),
  items: {
    description: 'What every item is: a field without a name.',
    // `checkFields` walks nested fields.
    check: () => undefined,
    schema: () => ({ type: 'object', allOf: [{ $ref: '#/definitions/field' }] }),
  },
  minItems: amount('Fewest items.'),
  maxItems: amount('Most items.'),
  properties: {
    description: 'The fields inside: from name to field.',
    check: () => undefined,
    schema: () => ({ type: 'object', allOf: [{ $ref: '#/definitions/fields' }] }),
  },
}

/** The rule of a keyword, or undefined for an unknown one. */
export function keywordRule(keyword: string): KeywordRule | undefined {
  return isKeyword(keyword) ? KEYWORD_RULES[keyword] : undefined
}

function isKeyword(keyword: string): keyword is keyof Field {
  return Object.hasOwn(KEYWORD_RULES, keyword)
}

function anyText(description: string): KeywordRule {
  return { description, check: checkText, schema: () => ({ type: 'string' }) }
}

function amount(description: string): KeywordRule {
  return {
    description,
    check(setting) {
      if (typeof setting === 'number' && Number.isSafeInteger(setting) && setting >= 0) return undefined
      return {
        reason: `must be a whole number of 0 or more, got ${describeValue(setting)}`,
        fix: fixAmount(setting),
      }
    },
    schema: () => ({ type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
  }
}

function anyNumber(description: string): KeywordRule {
  return {
    description,
    check: setting =>
      typeof setting === 'number'
        ? undefined
        : {
            reason: `must be a number, got ${describeValue(setting)}`,
            fix: withoutQuotes(setting) ?? 'write a number',
          },
    schema: () => ({ type: 'number' }),
  }
}

function checkText(setting: JsonValue): Fault | undefined {
  if (typeof setting === 'string') return undefined
  const isQuotable = typeof setting === 'number' || typeof setting === 'boolean'
  const fix = isQuotable ? `put it in quotes: "${setting}"` : 'write a text in quotes'
  return { reason: `must be a string, got ${describeValue(setting)}`, fix }
}

function checkRequired(setting: JsonValue): Fault | undefined {
  if (typeof setting === 'boolean') return undefined
  if (!Array.isArray(setting)) {
    // A JSON object may have a property `toString` that is not a function.
    const meant = typeof setting === 'object' ? undefined : MEANT_BOOLEANS.get(String(setting).toLowerCase())
    const fix = meant === undefined ? 'write true or false' : `write ${meant}, without quotes`
    return { reason: `must be true or false, got ${describeValue(setting)}`, fix }
  }
  const names = setting.filter(name => typeof name === 'string').slice(0, 3)
  const whose = names.length === 0 ? 'each required property' : names.map(quoteText).join(', ')
  return {
    reason: `must be true or false: here "required" stands on the field itself, so set it on ${whose} instead of a list`,
    fix: `remove the list, and write "required": true within ${whose}`,
  }
}

const MEANT_BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['yes', true],
  ['1', true],
  ['false', false],
  ['no', false],
  ['0', false],
])

function bracket(setting: JsonValue): string {
  const value = shortJson(setting)
  if (value !== undefined) return `write [${value}]`
  return Array.isArray(setting) ? 'list the values, or remove it' : 'write a list: [ … ]'
}

function fixAmount(setting: JsonValue): string {
  const meant = typeof setting === 'string' ? coerce(setting, 'number') : setting
  if (typeof meant !== 'number') return 'write a whole number'
  if (meant < 0) return 'write 0 or more'
  if (!Number.isInteger(meant)) return `write ${Math.floor(meant)} or ${Math.ceil(meant)}`
  return meant === setting ? 'write a smaller number' : `write ${meant}, without quotes`
}

/** The fix for a number written as text. */
function withoutQuotes(setting: JsonValue): string | undefined {
  const isNumber = typeof setting === 'string' && coerce(setting, 'number') !== undefined
  return isNumber ? `write ${setting}, without quotes` : undefined
}
