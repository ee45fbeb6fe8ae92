import { expect, test } from 'vitest'
import { cutText } from './cut-text.ts'

test.each([
  ['abc', 3, 'abc'],
  ['abcd', 3, 'abc'],
  ['ab🎉', 3, 'ab'],
  ['ab🎉', 4, 'ab🎉'],
  ['', 3, ''],
])('%j cut to %d units is %j', (text, most, cut) => {
  expect(cutText(text, most)).toBe(cut)
})
