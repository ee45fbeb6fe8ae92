import type { FieldMap } from '@farebox/protocol/fields/field'
import { expect, test } from 'vitest'
import { keepFields, NO_INPUT } from './keep-fields.ts'

const TEXT: FieldMap = { text: { type: 'string' } }
const BOTH: FieldMap = { ...TEXT, top: { type: 'integer' } }

test('a typed value stays as long as its field exists, and returns when its field returns', () => {
  const typed = { ...NO_INPUT, value: { text: 'a', top: '3' } }
  const without = keepFields(typed, BOTH, TEXT)
  expect(without.value).toEqual({ text: 'a' })
  const changed = { ...without, value: { text: 'b' } }
  expect(keepFields(changed, TEXT, BOTH).value).toEqual({ text: 'b', top: '3' })
})

test('a typed value without a field is kept, so that the reader can see it refused', () => {
  const typed = { ...NO_INPUT, value: { text: 'a', other: 1 } }
  expect(keepFields(typed, BOTH, TEXT).value).toEqual({ text: 'a', other: 1 })
})
