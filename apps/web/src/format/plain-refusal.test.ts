import { compileInput } from '@farebox/protocol/fields/compile'
import type { Field, JsonValue } from '@farebox/protocol/fields/field'
import { FORMAT_EXAMPLES, FORMATS } from '@farebox/protocol/src/fields/formats'
import { describe, expect, test } from 'vitest'
import { plainRefusal } from './plain-refusal.ts'

/** The agent's own message for a refused value. */
function refusalOf(field: Field, value?: JsonValue): string {
  const checked = compileInput({ it: field })(value === undefined ? {} : { it: value })
  if (checked.ok) throw new Error('it is taken')
  return checked.violation.reason
}

test('groups the digits of numbers', () => {
  expect(plainRefusal(refusalOf({ type: 'string', maxLength: 50_000 }, 'x'.repeat(60_412)))).toBe(
    'must be at most 50,000 characters, got 60,412',
  )
})

test('describes formats in words', () => {
  expect(plainRefusal(refusalOf({ type: 'string', format: 'date-time' }, '2026-01-31 12:00'))).toBe(
    'must be a time, such as 2026-01-31T12:00:00Z, got "2026-01-31 12:00"',
  )
  expect(plainRefusal(refusalOf({ type: 'string', format: 'uri' }, 'abc'))).toBe(
    'must be a link, such as https://example.com, got "abc"',
  )
})

describe.each(FORMATS)('format %s', format => {
  const said = plainRefusal(refusalOf({ type: 'string', format }, 'no ' + format))

  test('is described once, together with the refused value', () => {
    expect(said.match(/such as/g)).toHaveLength(1)
    expect(said).toMatch(new RegExp(`^must be an? [^"]* such as .*, got "no ${format}"$`))
  })

  test('is described with an example that the agent accepts', () => {
    const [, example = ''] = /such as "?([^",]+)"?, got/.exec(said) ?? []
    expect(compileInput({ it: { type: 'string', format } })({ it: example }).ok).toBe(true)
    expect(FORMAT_EXAMPLES[format].length).toBeGreaterThan(0)
  })
})

test.each<[string, Field, JsonValue?]>([
  ['required', { type: 'string', required: true }],
  ['type', { type: 'integer' }, 'x'],
  ['type', { type: 'boolean' }, 'must be a valid date such as'],
  ['type', { type: 'integer' }, 'at least 12345'],
  ['minimum', { type: 'number', minimum: 0.5 }, 0.25],
  ['maximum', { type: 'number', maximum: 0.5 }, 1_234.5],
  ['minLength', { type: 'string', minLength: 2 }, 'x'],
  ['maxLength', { type: 'string', maxLength: 2 }, 'xyz'],
  ['pattern', { type: 'string', pattern: '^[0-9]{4}$' }, 'must be a valid uri such as'],
  ['enum', { type: 'string', enum: ['a', 'b'] }, 'c'],
  ['minItems', { type: 'array', items: { type: 'string' }, minItems: 2 }, ['a']],
  ['maxItems', { type: 'array', items: { type: 'string' }, maxItems: 1 }, ['a', 'b']],
  ['items', { type: 'array', items: { type: 'integer' } }, ['a']],
  ['properties', { type: 'object', properties: { a: { type: 'integer', required: true } } }, {}],
])('leaves the message for the rule %s unchanged', (_, field, value) => {
  const reason = refusalOf(field, value)
  expect(plainRefusal(reason)).toBe(reason)
})
