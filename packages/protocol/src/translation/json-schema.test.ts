import { expect, test } from 'vitest'
import type { FieldMap } from '../fields/field.ts'
import { toJsonSchema } from './json-schema.ts'

const fields: FieldMap = {
  text: {
    type: 'string',
    required: true,
    description: 'D',
    minLength: 1,
    pattern: '^[a-z/]+$',
    format: 'hostname',
  },
  limit: { type: 'integer', default: 10, minimum: 1, maximum: 50, enum: [10, 20], examples: [20] },
  rows: {
    type: 'array',
    minItems: 1,
    items: { type: 'object', properties: { id: { type: 'number', required: false } } },
  },
  free: { type: 'object', required: false },
}

test('fields become JSON Schema 2020-12 with the required list on the parent', () => {
  expect(toJsonSchema(fields, 'input')).toEqual({
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    properties: {
      text: { type: 'string', description: 'D', minLength: 1, pattern: '^[a-z/]+$', format: 'hostname' },
      limit: { type: 'integer', default: 10, minimum: 1, maximum: 50, enum: [10, 20], examples: [20] },
      rows: {
        type: 'array',
        minItems: 1,
        items: {
          type: 'object',
          properties: { id: { type: 'number' } },
          required: [],
          additionalProperties: false,
        },
      },
      free: { type: 'object' },
    },
    required: ['text'],
    additionalProperties: false,
  })
})

test('D20 outputs are required unless they say otherwise', () => {
  expect(toJsonSchema(fields, 'output')['required']).toEqual(['text', 'limit', 'rows'])
})

test('a pattern in RE2 syntax that JavaScript does not support is put into a comment', () => {
  for (const pattern of ['(?i)abc', '\\pL+', '[[:alpha:]]+', '(?P<year>\\d{4})', '\\Aabc\\z']) {
    const schema = JSON.stringify(toJsonSchema({ a: { type: 'string', pattern } }, 'input'))
    expect(schema).toContain(JSON.stringify(`pattern in RE2 syntax: ${pattern}`))
    expect(schema).not.toContain('"pattern":')
  }
})

test('the projection is a copy', () => {
  const schema = toJsonSchema(fields, 'input')
  const properties = schema['properties']
  expect(JSON.stringify(properties)).toContain('"enum":[10,20]')
  expect(Reflect.get(Object(Reflect.get(Object(properties), 'limit')), 'enum')).not.toBe(
    fields['limit']?.enum,
  )
})
