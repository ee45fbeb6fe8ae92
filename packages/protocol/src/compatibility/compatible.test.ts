import { describe, expect, test } from 'vitest'
import { compatible, compatibleMaps } from './compatible.ts'
import type { Grade } from './compatibility.ts'
import type { Field } from '../fields/field.ts'

const string: Field = { type: 'string' }
const number: Field = { type: 'number' }
const integer: Field = { type: 'integer' }
const boolean: Field = { type: 'boolean' }

const CASES: [Field, Field, Grade, string][] = [
  [string, string, 'same', 'passes as it is'],
  [integer, number, 'same', 'passes as it is'],
  [boolean, boolean, 'same', 'every value it can have is accepted'],
  [number, string, 'safe', 'every number becomes its text'],
  [integer, string, 'safe', 'every integer becomes its text'],
  [boolean, string, 'safe', 'true becomes "true"'],
  [string, number, 'lossy', 'can fail at run time: only text of a number such as "12" can pass'],
  [string, boolean, 'lossy', 'can fail at run time: only "true" and "false" can pass'],
  [number, integer, 'lossy', 'can fail at run time: only whole numbers up to 2^53 − 1 pass'],
  [number, boolean, 'impossible', 'a number never becomes a boolean'],
  [boolean, integer, 'impossible', 'a boolean never becomes an integer'],
  [string, { type: 'array' }, 'impossible', 'a string never becomes an array'],
  [{ type: 'object' }, string, 'impossible', 'an object never becomes a string'],

  [
    string,
    { ...string, maxLength: 10 },
    'lossy',
    'can fail at run time: the input accepts a length of at most 10 characters',
  ],
  [{ ...string, maxLength: 10 }, { ...string, maxLength: 10 }, 'same', 'passes as it is'],
  [
    { ...string, minLength: 5 },
    { ...string, maxLength: 4 },
    'impossible',
    'length is of at least 5, the input accepts of at most 4 characters',
  ],
  [number, { ...string, minLength: 1 }, 'safe', 'every number becomes its text'],
  [integer, { ...string, maxLength: 17 }, 'safe', 'every integer becomes its text'],
  [
    integer,
    { ...string, maxLength: 16 },
    'lossy',
    'can fail at run time: the input accepts a length of at most 16 characters',
  ],
  [
    number,
    { ...string, minLength: 26 },
    'impossible',
    'length is from 1 to 25, the input accepts of at least 26 characters',
  ],
  [{ ...string, pattern: 'a' }, { ...string, pattern: 'a' }, 'same', 'passes as it is'],
  [string, { ...string, pattern: 'a' }, 'lossy', 'can fail at run time: must match the pattern a'],
  [string, { ...string, format: 'email' }, 'lossy', 'can fail at run time: must be a valid email'],
  [{ ...string, format: 'email' }, { ...string, format: 'email' }, 'same', 'passes as it is'],
  [
    { ...string, format: 'email' },
    { ...string, format: 'uuid' },
    'impossible',
    'no text is both email and uuid',
  ],
  [{ ...string, format: 'ipv4' }, { ...string, format: 'hostname' }, 'same', 'passes as it is'],
  [
    { ...string, format: 'hostname' },
    { ...string, format: 'ipv4' },
    'lossy',
    'can fail at run time: must be a valid ipv4',
  ],
  [
    { ...string, format: 'date' },
    number,
    'impossible',
    'only text of a number such as "12" can pass, and no date is that',
  ],
  [
    { ...string, maxLength: 3 },
    boolean,
    'impossible',
    'length is of at most 3, the input accepts from 4 to 5 characters',
  ],

  [{ ...number, minimum: 0, maximum: 5 }, { ...number, minimum: 0 }, 'same', 'passes as it is'],
  [
    number,
    { ...number, minimum: 0 },
    'lossy',
    'can fail at run time: the input accepts a value of at least 0',
  ],
  [
    { ...number, maximum: -1 },
    { ...number, minimum: 0 },
    'impossible',
    'value is of at most -1, the input accepts of at least 0',
  ],

  [
    { ...string, enum: ['a'] },
    { ...string, enum: ['a', 'b'] },
    'same',
    'every value it can have is accepted',
  ],
  [
    { ...string, enum: ['a', 'c'] },
    { ...string, enum: ['a', 'b'] },
    'lossy',
    'can fail at run time: "c" is refused: must be one of "a", "b", got "c"',
  ],
  [
    { ...string, enum: ['c'] },
    { ...string, enum: ['a', 'b'] },
    'impossible',
    '"c" is refused: must be one of "a", "b", got "c"',
  ],
  [{ ...string, enum: ['1', '2.5'] }, number, 'safe', '"1" becomes 1'],
  [{ ...string, enum: ['x'] }, number, 'impossible', '"x" is refused: must be a number, got "x"'],
  [
    string,
    { ...string, enum: ['a'] },
    'lossy',
    "can fail at run time: only the values of the input's enum pass",
  ],

  [{ type: 'array', items: integer }, { type: 'array' }, 'same', 'passes as it is'],
  [
    { type: 'array' },
    { type: 'array', items: integer },
    'lossy',
    'can fail at run time: the output does not declare its items',
  ],
  [
    { type: 'array', items: number },
    { type: 'array', items: string },
    'safe',
    'items: every number becomes its text',
  ],
  [
    { type: 'array', items: boolean },
    { type: 'array', items: number },
    'impossible',
    'items: a boolean never becomes a number',
  ],
  [
    { type: 'array' },
    { type: 'array', minItems: 1 },
    'lossy',
    'can fail at run time: the input accepts a number of items of at least 1',
  ],

  [{ type: 'object', properties: { a: string } }, { type: 'object' }, 'same', 'passes as it is'],
  [
    { type: 'object' },
    { type: 'object', properties: { a: string } },
    'lossy',
    'can fail at run time: the output does not declare its properties',
  ],
  [
    { type: 'object', properties: { a: string, b: string } },
    { type: 'object', properties: { a: string } },
    'safe',
    'b: left out, not declared',
  ],
  [
    { type: 'object', properties: {} },
    { type: 'object', properties: { a: { ...string, required: true } } },
    'impossible',
    'a: is required and not in the output',
  ],
  [
    { type: 'object', properties: {} },
    { type: 'object', properties: { a: { ...string, default: 'x' } } },
    'safe',
    'a: its default stands in',
  ],
  [
    { type: 'object', properties: { a: { ...string, required: false } } },
    { type: 'object', properties: { a: { ...string, required: true } } },
    'lossy',
    'a: can fail at run time: the output may leave it out, the input requires it',
  ],
]

test.each(CASES)('D19 %j into %j', (output, input, grade, reason) => {
  expect(compatible(output, input)).toEqual({ grade, reason })
})

describe('maps are matched by name', () => {
  test('fields with a source and fields that stay open', () => {
    const outputs = { text: string, score: number, extra: boolean, toString: string }
    const inputs = {
      score: string,
      text: { ...number, required: true },
      to: { ...string, required: true },
      from: string,
      constructor: string,
    }
    expect(compatibleMaps(outputs, inputs)).toEqual({
      matches: [
        { name: 'score', grade: 'safe', reason: 'every number becomes its text' },
        {
          name: 'text',
          grade: 'lossy',
          reason: 'can fail at run time: only text of a number such as "12" can pass',
        },
      ],
      open: [
        { name: 'to', required: true },
        { name: 'from', required: false },
        { name: 'constructor', required: false },
      ],
    })
  })
})

test('D19 the longest texts that numbers become', () => {
  for (const number of [
    -0.0000012345678901234567,
    -Number.MAX_VALUE,
    -Number.MIN_VALUE,
    -123456789012345680000,
  ]) {
    expect(String(number).length).toBeLessThanOrEqual(25)
  }
  expect(String(-0.0000012345678901234567)).toHaveLength(25)
  expect(String(Number.MIN_SAFE_INTEGER)).toHaveLength(17)
})
