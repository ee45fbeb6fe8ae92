import { expect, test } from 'vitest'
import { describeValue } from './describe-value.ts'

test.each([
  ['one line', '“one line”'],
  [' two\n\tlines ', '“two lines”'],
  ['x'.repeat(4_182), `“${'x'.repeat(20)}…”, 4,182 characters`],
  ['🎉'.repeat(40), `“${'🎉'.repeat(10)}…”, 40 characters`],
  [702, '702'],
  [true, 'yes'],
  [null, 'nothing'],
  [[], 'an empty list'],
  [['one'], '1 item: “one”'],
  [[1, 2, 3, 4], '4 items: 1, 2, 3, 4'],
  [['a long enough text', 'another one'], '2 items: “a long enough text”, …'],
  [['x'.repeat(40)], `1 item: “${'x'.repeat(24)}…”`],
  [[[1, 2], { a: [1] }], '2 items: a list of 2, an object'],
  [[{ word: 'moon', count: 3 }], '1 item: {word “moon”, count 3}'],
  [{ words: 3, text: 'a' }, 'words 3, text “a”'],
  [{}, 'an empty object'],
])('a value is described in twenty characters, case %#', (value, words) => {
  expect(describeValue(value, 20)).toBe(words)
})
