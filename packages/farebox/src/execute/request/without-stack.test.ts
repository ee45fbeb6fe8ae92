import { expect, test } from 'vitest'
import { withoutStack } from './without-stack.ts'

test('a refusal is created without a stack, and the next error has one again', () => {
  const refusal = withoutStack(() => new TypeError('no'))
  expect(refusal.stack).toBe('TypeError: no')
  expect(new Error('other').stack).toContain('\n    at ')
})

test('the next error has a stack even if making the refusal threw', () => {
  expect(() =>
    withoutStack(() => {
      throw new RangeError('cannot be made')
    }),
  ).toThrow(RangeError)
  expect(new Error('other').stack).toContain('\n    at ')
})
