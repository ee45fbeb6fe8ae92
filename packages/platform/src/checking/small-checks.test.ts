import { expect, test } from 'vitest'
import { createSmallChecks } from './small-checks.ts'

const ITEMS = JSON.stringify({ items: { type: 'array', required: true, items: { type: 'integer' } } })

test('a small input is checked at once, with the verdict of the protocol', () => {
  const checks = createSmallChecks()
  expect(checks.input(ITEMS, { items: [1, 2] })).toEqual({ violation: undefined })
  expect(checks.input(ITEMS, { items: [1, 'a'] })?.violation).toMatchObject({ field: 'items[1]' })
  expect(checks.output(ITEMS, {})?.violation).toMatchObject({ field: 'items' })
})

test('checks that may take long are left to a thread: many values, patterns, large schemas', () => {
  const checks = createSmallChecks()
  expect(checks.input(ITEMS, { items: Array.from({ length: 5_000 }, () => 1) })).toBeUndefined()
  const pattern = JSON.stringify({ text: { type: 'string', pattern: '^a+$' } })
  expect(checks.output(pattern, { text: 'a' })).toBeUndefined()
  const large = JSON.stringify({ text: { type: 'string', description: 'x'.repeat(10_000) } })
  expect(checks.input(large, { text: 'a' })).toBeUndefined()
})

test('a large value is left to a thread, whatever its schema is', () => {
  const checks = createSmallChecks()
  const names = Array.from({ length: 50_000 }, (_, nth) => [`name ${nth}`, nth] as const)
  const oneOf = JSON.stringify({ a: { type: 'object', enum: [{ b: 1 }] } })
  expect(checks.input(oneOf, { a: Object.fromEntries(names) })).toBeUndefined()
  const none = JSON.stringify({ a: { type: 'string', required: false } })
  expect(checks.output(none, Object.fromEntries(names))).toBeUndefined()
  const text = JSON.stringify({ a: { type: 'string', maxLength: 5 } })
  expect(checks.input(text, { a: 'x'.repeat(500_000) })).toBeUndefined()
})

test('the budget of one check does not reduce that of the next', () => {
  const checks = createSmallChecks()
  const items = Array.from({ length: 500 }, () => 1)
  for (let round = 0; round < 20; round += 1)
    expect(checks.input(ITEMS, { items })).toEqual({ violation: undefined })
})
