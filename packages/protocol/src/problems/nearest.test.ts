import { expect, test } from 'vitest'
import { nearest } from './nearest.ts'

const KNOWN = [
  'type',
  'required',
  'description',
  'minLength',
  'maxLength',
  'minimum',
  'maximum',
  'items',
  'enum',
]

test.each([
  ['minlength', 'minLength'],
  ['min_length', 'minLength'],
  ['maxLenght', 'maxLength'],
  ['descripton', 'description'],
  ['requierd', 'required'],
  ['Type', 'type'],
  ['tpye', 'type'],
  ['item', 'items'],
])('D18 the nearest word to %s is %s', (word, meant) => {
  expect(nearest(word, KNOWN)).toBe(meant)
})

test.each(['', 'x', 'pricing', 'zzzzzzzz', 'oneOf', 'x'.repeat(100_000)])(
  'there is no guess for %.20s',
  word => {
    expect(nearest(word, KNOWN)).toBeUndefined()
  },
)

test('the first of equally near words is named', () => {
  expect(nearest('inLength', ['minLength', 'binLength'])).toBe('minLength')
})
