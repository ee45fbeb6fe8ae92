import { expect, expectTypeOf, test } from 'vitest'
import { compileInput } from '../fields/compile.ts'
import type { FieldMap, JsonObject, JsonValue } from '../fields/field.ts'
import type { InferCallerInput, InferInput, InferOutput } from './infer.ts'

const fields = {
  text: { type: 'string', required: true, minLength: 1 },
  limit: { type: 'integer', default: 10 },
  ratio: { type: 'number' },
  flag: { type: 'boolean', required: false },
  kind: { type: 'string', enum: ['a', 'b'] },
  level: { type: 'integer', enum: [1, 2], required: true },
  tags: { type: 'array', items: { type: 'string' } },
  rows: {
    type: 'array',
    items: {
      type: 'object',
      properties: { id: { type: 'integer', required: true }, name: { type: 'string' } },
    },
  },
  list: { type: 'array' },
  free: { type: 'object' },
  list2: { type: 'array', default: [1] },
} as const satisfies FieldMap

test('a handler always receives required and defaulted fields', () => {
  expectTypeOf<InferInput<typeof fields>>().toEqualTypeOf<{
    text: string
    limit: number
    ratio?: number
    flag?: boolean
    kind?: 'a' | 'b'
    level: 1 | 2
    tags?: string[]
    rows?: { id: number; name?: string }[]
    list?: JsonValue[]
    free?: JsonObject
    list2: JsonValue[]
  }>()
})

test('D20 a handler must return everything that is not required: false', () => {
  expectTypeOf<InferOutput<typeof fields>>().toEqualTypeOf<{
    text: string
    limit: number
    ratio: number
    flag?: boolean | undefined
    kind: 'a' | 'b'
    level: 1 | 2
    tags: readonly string[]
    rows: readonly { id: number; name: string }[]
    list: readonly JsonValue[]
    free: JsonObject
    list2: readonly JsonValue[]
  }>()
})

test('D19 a caller may send values that are coerced, and omit fields with a default', () => {
  expectTypeOf<InferCallerInput<typeof fields>>().toEqualTypeOf<{
    text: string | number | boolean
    limit?: number | `${number}`
    ratio?: number | `${number}`
    flag?: boolean | 'true' | 'false'
    kind?: 'a' | 'b'
    level: 1 | 2 | '1' | '2'
    tags?: readonly (string | number | boolean)[]
    rows?: readonly { id: number | `${number}`; name?: string | number | boolean }[]
    list?: readonly JsonValue[]
    free?: JsonObject
    list2?: readonly JsonValue[]
  }>()
})

test('fields that are only known as a map are JSON objects', () => {
  expectTypeOf<InferInput<FieldMap>>().toEqualTypeOf<JsonObject>()
  expectTypeOf<InferOutput<FieldMap>>().toEqualTypeOf<JsonObject>()
  expectTypeOf<InferCallerInput<FieldMap>>().toEqualTypeOf<JsonObject>()
})

test('the type of an input is what the check accepts', () => {
  const sent: InferCallerInput<typeof fields> = { text: 12, level: '2', tags: [true], rows: [{ id: '7' }] }
  expect(compileInput(fields)(JSON.parse(JSON.stringify(sent)))).toEqual({
    ok: true,
    value: { text: '12', level: 2, limit: 10, tags: ['true'], rows: [{ id: 7 }], list2: [1] },
  })
})
