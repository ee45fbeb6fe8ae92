import { expect, test } from 'vitest'
import { isObject, parseJson } from './json.ts'

test('a list and null are not JSON objects', () => {
  expect([{}, { a: 1 }, Object.create(null)].every(isObject)).toBe(true)
  expect([[], null, undefined, 'a', 1, true].some(isObject)).toBe(false)
})

test('text that is not JSON gives undefined, which no JSON does', () => {
  expect(['{"a":[1]}', 'null', '0'].map(parseJson)).toEqual([{ a: [1] }, null, 0])
  expect(['{"a":', '', 'undefined', "{'a':1}"].map(parseJson)).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
  ])
})
