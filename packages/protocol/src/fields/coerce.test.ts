import { describe, expect, test } from 'vitest'
import { coerce, passage } from './coerce.ts'
import { FIELD_KEYWORDS, isFieldType, type FieldType, type JsonValue } from './field.ts'
import { growth, LINEAR } from '../test-setup/cpu-ratio.ts'

const NO_NUMBERS =
  `|·|·1·|1·|↵1|1↵|0x10|0b1|1_0|1,5|+5|.5|1.|-|-.5|01|00|-01|1e|e3|1e+|1.e3|Infinity|-Infinity|NaN
|１２|١|1e999|-1e999|abc|true|1n`
    .replaceAll('\n', '')
    .replaceAll('·', ' ')
    .replaceAll('↵', '\n')
    .split('|')

describe('D19 number from text', () => {
  test.each([
    ['1.5', 1.5],
    ['-2', -2],
    ['1e3', 1000],
    ['0', 0],
    ['-0', -0],
    ['0.1', 0.1],
    ['1E-2', 0.01],
    ['1e+2', 100],
    ['10', 10],
    ['9007199254740991', 9007199254740991],
    ['1e-400', 0],
    ['1e308', 1e308],
    ['9007199254740993.0', 9007199254740992],
    ['-9007199254740991', -9007199254740991],
  ])('turns %j into %d', (text, number) => {
    expect(coerce(text, 'number')).toBe(number)
  })

  test.each(NO_NUMBERS)('VAL-06 refuses %j', text => {
    expect(coerce(text, 'number')).toBeUndefined()
    expect(coerce(text, 'integer')).toBeUndefined()
  })

  test.each(['9007199254740993', '9007199254740992', '-9007199254740992', '9'.repeat(40)])(
    'VAL-06 refuses %j as a number: its digits would change',
    text => {
      expect(coerce(text, 'number')).toBeUndefined()
    },
  )

  test.each(['1e308', '9007199254740993', '-9007199254740992'])(
    'D19 refuses %j as an integer: it is not safe',
    text => {
      expect(coerce(text, 'integer')).toBeUndefined()
    },
  )

  test.each([true, false, null, [], [1], {}])('VAL-06 refuses %j', value => {
    expect(coerce(value, 'number')).toBeUndefined()
    expect(coerce(value, 'integer')).toBeUndefined()
  })

  test('megabytes of digits take at most proportional time', () => {
    const coerceDigits = (count: number): void => {
      expect(coerce('1'.repeat(count), 'number')).toBeUndefined()
      expect(coerce(`${'1'.repeat(count)}x`, 'number')).toBeUndefined()
    }
    expect(growth(coerceDigits, 262_144)).toBeLessThan(LINEAR)
  })
})

describe('D19 integer', () => {
  test.each([
    ['12', 12],
    ['1e3', 1000],
    ['1.0', 1],
    [7, 7],
  ])('accepts %j', (value, integer) => {
    expect(coerce(value, 'integer')).toBe(integer)
  })

  test.each(['1.5', '1e-1', 1.5, 2 ** 53, -(2 ** 53), Number.NaN, Number.POSITIVE_INFINITY])(
    'refuses %j',
    value => {
      expect(coerce(value, 'integer')).toBeUndefined()
    },
  )
})

describe('D19 text and booleans', () => {
  test.each([
    [1.5, '1.5'],
    [-2, '-2'],
    [1e21, '1e+21'],
    [true, 'true'],
    [false, 'false'],
    ['', ''],
  ])('turns %j into the text %j', (value, text) => {
    expect(coerce(value, 'string')).toBe(text)
  })

  test.each([[null], [[]], [['a']], [{}], [Number.NaN], [undefined], [1n]])(
    'VAL-07 does not turn %s into text',
    value => {
      expect(coerce(value, 'string')).toBeUndefined()
    },
  )

  test('turns exactly "true" and "false" into booleans', () => {
    expect(coerce('true', 'boolean')).toBe(true)
    expect(coerce('false', 'boolean')).toBe(false)
    for (const value of ['True', 'TRUE', ' true', 'yes', '1', '0', '', 1, 0, null]) {
      expect(coerce(value, 'boolean')).toBeUndefined()
    }
  })

  test.each(['array', 'object'] as const)('does not turn any other value into %s', type => {
    for (const value of ['[]', '{}', '', 1, true, null]) expect(coerce(value, type)).toBeUndefined()
  })
})

const VALUES: { readonly [type in FieldType]: readonly JsonValue[] } = {
  string: ['', 'abc', '1.5', '12', 'true', 'false', ' 1'],
  number: [1.5, 12, -0.25, 1e300],
  integer: [0, -3, 9007199254740991],
  boolean: [true, false],
  array: [[], [1], ['1']],
  object: [{}, { a: 1 }],
}

const TYPES = Object.keys(FIELD_KEYWORDS).filter(isFieldType)
const PAIRS = TYPES.flatMap(from => TYPES.map((to): [FieldType, FieldType] => [from, to]))

test.each(PAIRS)('the table for %s to %s agrees with coercion', (from, to) => {
  const results = VALUES[from].map(value => ({ value, coerced: coerce(value, to) }))
  const passed = results.filter(({ coerced }) => coerced !== undefined)
  const unchanged = results.filter(({ value, coerced }) => coerced === value)
  const seen =
    unchanged.length === results.length
      ? 'same'
      : passed.length === results.length
        ? 'always'
        : passed.length > 0
          ? 'sometimes'
          : 'never'
  expect(passage(from, to)).toBe(seen)
})
