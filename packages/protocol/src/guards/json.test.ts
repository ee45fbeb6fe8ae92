import { expect, test } from 'vitest'
import { isObject, parseJson } from './json.ts'

test('a list and null are no JSON objects', () => {
  expect([{}, { a: 1 }, Object.create(null)].every(isObject)).toBe(true)
  expect([[], null, undefined, 'a', 1, true].some(isObject)).toBe(false)
})

test('text that is no JSON is undefined, which no JSON is', () => {
  expect(['{"a":[1]}', 'null', '0'].map(parseJson)).toEqual([{ a: [1] }, null, 0])
  expect(['{"a":', '', 'undefined', "{'a':1}"].map(parseJson)).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
  ])
})
