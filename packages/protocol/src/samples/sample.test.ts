import { describe, expect, test } from 'vitest'
import { compileInput } from '../fields/compile.ts'
import type { Field } from '../fields/field.ts'
import { FORMATS } from '../fields/formats.ts'
import { sample } from './sample.ts'

/** The sample of one required field called `f`. */
function sampleOf(field: Field): unknown {
  const fields = { f: { ...field, required: true } }
  const result = sample(fields)
  if (!result.ok) return result.violation
  expect(compileInput(fields)(result.value)).toEqual({ ok: true, value: result.value })
  return result.value['f']
}

describe('the source of a sample', () => {
  test.each<[Field, unknown]>([
    [{ type: 'string', examples: ['x'], default: 'y', enum: ['z', 'x', 'y'] }, 'x'],
    [{ type: 'string', default: 'y', enum: ['z', 'y'] }, 'y'],
    [{ type: 'string', enum: ['z', 'y'] }, 'z'],
    [{ type: 'string' }, 'text'],
    [{ type: 'string', maxLength: 2 }, 'te'],
    [{ type: 'string', minLength: 6 }, 'Sample'],
    [{ type: 'number' }, 1],
    [{ type: 'number', minimum: 0.2, maximum: 0.8 }, 0.2],
    [{ type: 'integer', minimum: 2.5 }, 3],
    [{ type: 'integer', maximum: -2.5 }, -3],
    [{ type: 'boolean', enum: [false] }, false],
    [{ type: 'array' }, ['text']],
    [{ type: 'array', maxItems: 0 }, []],
    [{ type: 'array', minItems: 2, items: { type: 'integer' } }, [1, 1]],
    [{ type: 'object' }, {}],
    [
      {
        type: 'object',
        properties: {
          a: { type: 'boolean', required: true },
          b: { type: 'boolean' },
          c: { type: 'integer', default: 7 },
          d: { type: 'string', examples: ['x'] },
        },
      },
      { a: true, c: 7 },
    ],
  ])('%j', (field, value) => {
    expect(sampleOf(field)).toEqual(value)
  })
})

test.each(FORMATS)('format %s, short and long', format => {
  expect(sampleOf({ type: 'string', format })).toEqual(expect.any(String))
})

test.each<[Field]>([
  [{ type: 'string', format: 'email', minLength: 100 }],
  [{ type: 'string', format: 'email', maxLength: 3 }],
  [{ type: 'string', format: 'uri', minLength: 5_000 }],
  [{ type: 'string', format: 'hostname', minLength: 200, maxLength: 200 }],
  [{ type: 'string', format: 'hostname', minLength: 128, maxLength: 128 }],
  [{ type: 'string', format: 'date-time', minLength: 40, maxLength: 40 }],
  [{ type: 'string', format: 'ipv6', maxLength: 2 }],
])('bounds on a format are met: %j', field => {
  expect(sampleOf(field)).toEqual(expect.any(String))
})

test.each([
  '^[a-z]+$',
  '^\\d{3}-\\d{4}$',
  '^(foo|bar)$',
  '^0x[0-9a-fA-F]{40}$',
  '^#[0-9a-f]{6}$',
  '^[A-Z]{2,3}$',
  '^https?://',
  '^\\w+@\\w+\\.[a-z]{2,}$',
  '^[^@\\s]+@[^@\\s]+$',
  '^(?:a|b(?P<n>c))+?$',
  '(?i)^hello world$',
  '^\\p{L}+$',
  '^.{5}$',
  '\\bword\\b',
  '^[0-9A-HJKMNP-TV-Z]{26}$',
  '^😀{3}$',
  '^$',
])('a text for the pattern %s', pattern => {
  expect(sampleOf({ type: 'string', pattern })).toEqual(expect.any(String))
})

test('a pattern with lengths', () => {
  expect(sampleOf({ type: 'string', pattern: '^[a-z]+$', minLength: 12 })).toBe('aaaaaaaaaaaa')
  expect(sampleOf({ type: 'string', pattern: 'x', minLength: 4 })).toBe('xaaa')
  expect(sampleOf({ type: 'string', pattern: '^(a|bb|ccc)$', minLength: 3 })).toBe('ccc')
})

describe('a sample that cannot be made', () => {
  const nothing = { field: 'f', reason: 'no sample could be made, it needs "examples"' }
  test.each<[Field]>([
    [{ type: 'integer', minimum: 0.2, maximum: 0.8 }],
    [{ type: 'string', pattern: '^a$', minLength: 2 }],
    [{ type: 'string', pattern: '^[[:alpha:]]$' }],
    [{ type: 'string', minLength: 1_000_000_000 }],
    [{ type: 'array', minItems: 1_000_000_000 }],
    [
      {
        type: 'array',
        minItems: 1_000,
        items: { type: 'array', minItems: 1_000, items: { type: 'array', minItems: 9 } },
      },
    ],
    [{ type: 'string', pattern: '((((a*)*)*)*){500}b{900}$', minLength: 5_000 }],
  ])('the field is named: %j', field => {
    expect(sampleOf(field)).toEqual(nothing)
  })

  test('the problem names the path', () => {
    const hopeless: Field = { type: 'integer', minimum: 0.2, maximum: 0.8, required: true }
    const fields = {
      a: {
        type: 'array',
        minItems: 1,
        required: true,
        items: { type: 'object', properties: { b: hopeless } },
      },
    } as const
    expect(sample(fields)).toEqual({ ok: false, violation: { ...nothing, field: 'a[0].b' } })
  })

  test('an optional field is omitted unless it has a default, an optional item gives an empty list', () => {
    const hopeless: Field = { type: 'integer', minimum: 0.2, maximum: 0.8 }
    expect(sample({ a: { type: 'string' }, b: { type: 'integer', default: 3 } })).toEqual({
      ok: true,
      value: { b: 3 },
    })
    expect(sample({ a: { type: 'string', required: false } }, 'output')).toEqual({
      ok: true,
      value: { a: 'text' },
    })
    expect(sample({ a: hopeless, b: { type: 'array', required: true, items: hopeless } })).toEqual({
      ok: true,
      value: { b: [] },
    })
    expect(sample({ a: hopeless }, 'output').ok).toBe(false)
    expect(sample({ a: { ...hopeless, required: false } }, 'output')).toEqual({ ok: true, value: {} })
  })
})
