import type { JsonValue } from '@farebox/protocol/fields/field'
import { describe, expect, test } from 'vitest'
import type { AdapterStep, Condition } from '../document/flow.ts'
import { meetsCondition } from './meets-condition.ts'
import { runAdapter } from './run-adapter.ts'
import { parseTemplate } from './template-text.ts'

const run = (step: AdapterStep, inputs: { readonly [port: string]: JsonValue }): unknown => {
  const result = runAdapter(step, new Map(Object.entries(inputs)))
  return result.ok === true ? result.value : result.ok === false ? `✗ ${result.reason}` : 'skipped'
}

describe('adapters', () => {
  test.each<[AdapterStep, { readonly [port: string]: JsonValue }, unknown]>([
    [{ kind: 'constant', value: [1] }, {}, [1]],
    [{ kind: 'default', value: 'x' }, {}, 'x'],
    [{ kind: 'default', value: 'x' }, { value: null }, 'x'],
    [{ kind: 'default', value: 'x' }, { value: '' }, ''],
    [{ kind: 'first', count: 2 }, { '2': 'b' }, 'b'],
    [{ kind: 'first', count: 2 }, {}, 'skipped'],
    [{ kind: 'rename', names: { a: 'b' } }, { object: { a: 1, c: 2 } }, { b: 1, c: 2 }],
    [{ kind: 'rename', names: {} }, { object: 'x' }, '✗ object: must be an object, got "x"'],
    [{ kind: 'pick', path: ['links', 0] }, { value: { links: ['a'] } }, 'a'],
    [{ kind: 'pick', path: ['links', 1] }, { value: { links: ['a'] } }, '✗ value: has nothing at links.1'],
    [{ kind: 'pick', path: ['toString'] }, { value: {} }, '✗ value: has nothing at toString'],
    [{ kind: 'pick', path: [0] }, {}, '✗ value: must be an object or an array, got nothing'],
    [
      { kind: 'pick', path: [0], gives: { type: 'integer' } },
      { value: ['x'] },
      '✗ 0: must be an integer, got "x"',
    ],
    [{ kind: 'template', text: '{a} {{is}} {b}' }, { a: 'x', b: 2 }, 'x {is} 2'],
    [
      { kind: 'template', text: '{a}' },
      { a: [] },
      '✗ a: must be a string, a number or a boolean, got an array of 0 items',
    ],
    [{ kind: 'to-number' }, { text: '1.5' }, 1.5],
    [{ kind: 'to-number' }, { text: '1,5' }, '✗ text: must be a text of a number such as "12", got "1,5"'],
    [{ kind: 'join', separator: ', ' }, { list: ['a', 2, true] }, 'a, 2, true'],
    [
      { kind: 'join', separator: '' },
      { list: ['a', null] },
      '✗ list[1]: must be a string, a number or a boolean, got null',
    ],
    [{ kind: 'split', separator: ',', most: 3 }, { text: 'a,b,' }, ['a', 'b', '']],
    [{ kind: 'split', separator: ',', most: 2 }, { text: 'a,b,c' }, '✗ text: gives more than 2 items'],
  ])('%o of %o', (step, inputs, expected) => {
    expect(run(step, inputs)).toEqual(expected)
  })

  test('their output is limited, whatever the input', () => {
    const long = 'x'.repeat(600_000)
    const tooLarge = '✗ makes more than 1048576 characters'
    expect(run({ kind: 'join', separator: '' }, { list: [long, long] })).toBe(tooLarge)
    expect(run({ kind: 'template', text: '{a}{a}' }, { a: long })).toBe(tooLarge)
    const items = run({ kind: 'split', separator: 'x', most: 1_000 }, { text: long })
    expect(items).toBe('✗ text: gives more than 1000 items')
  })

  test('a property called __proto__ is like any other', () => {
    const object = JSON.parse('{"a": {"x": 1}}') as JsonValue
    const renamed = run({ kind: 'rename', names: { a: '__proto__' } }, { object })
    expect(JSON.stringify(renamed)).toBe('{"__proto__":{"x":1}}')
    expect(Object.getPrototypeOf(renamed)).toBe(Object.prototype)
  })
})

test.each([
  ['{', 'has a { at character 1 that is not closed; write {{ for a brace'],
  ['a}', 'has a } at character 2 that nothing opened; write }} for a brace'],
  ['{a b}', 'has {a b}: the name of an input begins with a letter and has letters, digits, - and _'],
  ['{}', 'has {}: the name of an input begins with a letter and has letters, digits, - and _'],
])('the template %s is refused', (text, reason) => {
  expect(parseTemplate(text)).toEqual({ ok: false, reason })
})

test.each<[Condition, JsonValue | undefined, boolean]>([
  [{ is: 'there' }, '', true],
  [{ is: 'there' }, null, false],
  [{ is: 'there' }, undefined, false],
  [{ is: 'equal-to', value: { a: 1, b: 2 } }, { b: 2, a: 1 }, true],
  [{ is: 'equal-to', value: 1 }, '1', false],
  [{ is: 'less-than', value: 2 }, 1, true],
  [{ is: 'at-most', value: 2 }, 2, true],
  [{ is: 'greater-than', value: 2 }, 2, false],
  [{ is: 'at-least', value: 2 }, '3', false],
  [{ is: 'containing', value: 'b' }, 'abc', true],
  [{ is: 'containing', value: 2 }, [1, 2], true],
  [{ is: 'containing', value: 1 }, '1', false],
])('%o of %o is %o', (condition, value, expected) => {
  expect(meetsCondition(condition, value)).toBe(expected)
})
