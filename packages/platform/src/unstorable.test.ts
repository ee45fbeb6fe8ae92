import { expect, test } from 'vitest'
import { findUnstorable, mayHoldUnstorable, replaceUnstorable } from './unstorable.ts'

test('an unstorable character is found in values and names, and its path is reported', () => {
  expect(findUnstorable({ a: [{ b: 'x' }, { b: 'x\0' }] })).toEqual({
    path: ['a', 1, 'b'],
    character: 'U+0000',
  })
  expect(findUnstorable({ a: { '\ud800': 1 } })).toEqual({ path: ['a', '\ud800'], character: 'U+D800' })
  expect(findUnstorable(['\udfff'])).toEqual({ path: [0], character: 'U+DFFF' })
  expect(findUnstorable({ a: ['👩‍🚀', 1, null, true, '\ufffd'] })).toBeUndefined()
})

test('JSON text that may contain such a character is detected without parsing', () => {
  for (const json of ['"\\u0000"', '"\\uD83D"', '{"\\udc00":1}']) expect(mayHoldUnstorable(json)).toBe(true)
  for (const json of ['"u0000"', '"\\u0001"', '"👩"', '"\\n"']) expect(mayHoldUnstorable(json)).toBe(false)
})

test('such characters are replaced everywhere; when two names become equal the last one is kept', () => {
  const given: unknown = JSON.parse(
    '{"a\\u0000":1,"a\\ud800":{"b":["\\u0000x\\udc00👩"]},"__proto__":"\\u0000"}',
  )
  const kept = replaceUnstorable(given)
  expect(JSON.stringify(kept)).toBe('{"a\ufffd":{"b":["\ufffdx\ufffd👩"]},"__proto__":"\ufffd"}')
  expect(findUnstorable(kept)).toBeUndefined()
})
