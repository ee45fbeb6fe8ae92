import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { formatUsdc, readPrice, readUsdc } from './usdc.ts'

describe('reading a decimal amount', () => {
  test.each([
    ['0.01', 10_000n],
    ['0.001', 1_000n],
    ['1', 1_000_000n],
    ['1.5', 1_500_000n],
    ['0', 0n],
    ['0.000001', 1n],
    ['10.100000', 10_100_000n],
    // As a float, 8.2 * 1e6 is 8199999.999999999.
    ['8.2', 8_200_000n],
    ['9007199254740993.000001', 9_007_199_254_740_993_000_001n],
  ])('D1 %s USDC is %s atomic units', (decimal, atomic) => {
    expect(readUsdc(decimal)).toEqual({ ok: true, atomic })
  })

  test.each([
    '1e-3',
    '.5',
    '1.',
    '+1',
    '1,5',
    '-1',
    'NaN',
    'Infinity',
    '',
    ' 1',
    '1 ',
    '1\n',
    '01',
    '00',
    '0x10',
    '1_000',
    '１',
    '1.0.0',
    '$1',
  ])('PAY-28 %j is not a decimal amount', decimal => {
    expect(readUsdc(decimal)).toEqual({
      ok: false,
      reason: expect.stringContaining('must be a decimal like "0.01"'),
    })
  })

  test('PAY-28 more decimals than USDC has are refused, even when they are zeros', () => {
    for (const decimal of ['0.0000001', '1.0000000']) {
      expect(readUsdc(decimal)).toEqual({
        ok: false,
        reason: `must have at most 6 decimals, USDC has no more, got "${decimal}"`,
      })
    }
  })

  test('PAY-28 80 digits are refused by their length, without being repeated', () => {
    expect(readUsdc('9'.repeat(80))).toEqual({ ok: false, reason: 'must be at most 40 characters' })
    expect(readUsdc('9'.repeat(40))).toEqual({ ok: true, atomic: BigInt('9'.repeat(40)) * 1_000_000n })
  })

  test.each([
    [0.01, 'number'],
    [1n, 'bigint'],
    [null, 'null'],
    [undefined, 'undefined'],
    [true, 'boolean'],
    [['1'], 'object'],
    [{ toString: () => '1' }, 'object'],
  ])('D1 %s is not accepted as a string', (value, name) => {
    expect(readUsdc(value)).toEqual({
      ok: false,
      reason: `must be a decimal string like "0.01", got ${name}`,
    })
  })

  test('D1 zero is an amount but not a price', () => {
    expect(readPrice('0.000001')).toEqual({ ok: true, atomic: 1n })
    for (const zero of ['0', '0.0', '0.000000']) {
      expect(readUsdc(zero)).toEqual({ ok: true, atomic: 0n })
      expect(readPrice(zero)).toEqual({ ok: false, reason: 'must be more than zero' })
    }
    expect(readPrice('-1')).toMatchObject({ ok: false })
  })

  test('D1 a parsed price is the sum of its digits at their places', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: 0n, max: 10n ** 30n }),
        fc.array(fc.nat(9), { maxLength: 6 }),
        (whole, decimals) => {
          const decimal = decimals.length === 0 ? `${whole}` : `${whole}.${decimals.join('')}`
          const expected = decimals.reduce(
            (sum, digit, index) => sum + BigInt(digit) * 10n ** BigInt(5 - index),
            whole * 1_000_000n,
          )
          expect(readUsdc(decimal)).toEqual({ ok: true, atomic: expected })
        },
      ),
    )
  })

  test('D1 arbitrary strings never make it throw', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), text => {
        expect(typeof readUsdc(text).ok).toBe('boolean')
      }),
    )
  })
})

describe('writing an amount', () => {
  test.each([
    [10_000n, '0.01'],
    [0n, '0'],
    [1n, '0.000001'],
    [1_000_000n, '1'],
    [1_500_000n, '1.5'],
    [12_345_678_900_000n, '12345678.9'],
    [-10_000n, '-0.01'],
    [-2_000_000n, '-2'],
  ])('%s atomic units are %s USDC', (atomic, decimal) => {
    expect(formatUsdc(atomic)).toBe(decimal)
  })

  test('amounts in a column can be aligned by a minimum number of decimals', () => {
    expect(formatUsdc(10_000n, { decimals: 6 })).toBe('0.010000')
    expect(formatUsdc(1_000_000n, { decimals: 2 })).toBe('1.00')
    expect(formatUsdc(1n, { decimals: 2 })).toBe('0.000001')
    expect(formatUsdc(1_500_000n, { decimals: 0 })).toBe('1.5')
  })

  test('D1 a formatted price is parsed to the same value, with any number of decimals', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 38n }), fc.nat(6), (atomic, decimals) => {
        expect(readUsdc(formatUsdc(atomic, { decimals }))).toEqual({ ok: true, atomic })
      }),
    )
  })
})
