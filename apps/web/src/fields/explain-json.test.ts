import { describe, expect, test } from 'vitest'
import { explainJson } from './explain-json.ts'

describe('explaining the JSON of an input', () => {
  test('accepts any object', () => {
    expect(explainJson('{}')).toBeUndefined()
    expect(explainJson(' {"text": [1, null]}\n')).toBeUndefined()
  })

  test.each(['[]', 'null', '"text"', '1'])('refuses %s, which is JSON but not an object', text => {
    expect(explainJson(text)).toBe('input: must be an object')
  })

  test.each([
    ['', 'line 1, column 1'],
    ['{"text": "one"', 'line 1, column 15'],
    ['{"text": one}', 'line 1, column 10'],
    ['{\n  "text": "one",\n}', 'line 3, column 1'],
    ['{\n  "text": "on', 'line 2, column 11'],
    ['{"a": [1, {"b": true}, ], "c": 2}', 'line 1, column 24'],
    ['{"a" 1}', 'line 1, column 6'],
    ['{"a": 1} {', 'line 1, column 10'],
    ['{a: 1}', 'line 1, column 2'],
    ['{"a": 01}', 'line 1, column 8'],
    ['{"a": [}', 'line 1, column 8'],
    ['{"a": TRUE}', 'line 1, column 7'],
  ])('names the place at which %j becomes invalid', (text, place) => {
    expect(explainJson(text)).toBe(`Not valid JSON (${place}).`)
  })
})
