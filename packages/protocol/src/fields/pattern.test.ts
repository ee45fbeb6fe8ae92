import { describe, expect, test } from 'vitest'
import { compilePattern } from './pattern.ts'
import { growth, LINEAR } from '../test-setup/cpu-ratio.ts'

describe('D18 patterns', () => {
  test('find a match anywhere, as in JSON Schema', () => {
    expect(compilePattern('b')('abc')).toBe(true)
    expect(compilePattern('^b')('abc')).toBe(false)
    expect(compilePattern('^b$')('a\nb\nc')).toBe(false)
    expect(compilePattern('')('')).toBe(true)
  })

  test('match by code point', () => {
    expect(compilePattern('^.$')('😀')).toBe(true)
    expect(compilePattern('^\\p{Greek}+$')('αβγ')).toBe(true)
  })

  test('give the same result however often they are used', () => {
    const test = compilePattern('a')
    expect([test('a'), test('a'), test('b'), test('a')]).toEqual([true, true, false, true])
  })

  test.each([
    ['(?=a)b', /^must be a regular expression in RE2 syntax: invalid or unsupported Perl syntax: `\(\?=`$/],
    ['\\1', /invalid escape sequence/],
    ['[', /missing closing \]/],
    ['a{1001}', /invalid repeat count/],
    ['(a', /missing closing \)/],
    ['a'.repeat(257), /^must be at most 256 characters, got 257$/],
    ['((((a{99}){99}){99}){99})', /invalid repeat count|expression too large/],
  ])('%.30s is refused with its reason', (source, reason) => {
    expect(() => compilePattern(source)).toThrow(SyntaxError)
    expect(() => compilePattern(source)).toThrow(reason)
  })

  test('256 characters are counted as code points', () => {
    expect(compilePattern('😀'.repeat(256))('😀'.repeat(256))).toBe(true)
  })

  test.each([
    '(a+)+$',
    '^(a|a)*$',
    '(a|aa)+$',
    '^(\\w+\\s?)*$',
    '(.*)*x',
    'a?'.repeat(60) + 'a'.repeat(60) + '$',
  ])('%.20s, which hangs other engines, takes time proportional to the text', source => {
    const test = compilePattern(source)
    const refuse = (length: number): void => expect(test(`${'a'.repeat(length)}!`)).toBe(false)
    expect(growth(refuse, 10_000)).toBeLessThan(LINEAR)
  })

  test('a text that alone exceeds the step budget of an input is refused without matching', () => {
    const test = compilePattern('[ab]*a[ab]{900}[cd]')
    expect(test('ab'.repeat(500_000))).toBe(false)
    expect(test.maxTextLength * test.instructions).toBeLessThan(8_000_000)
    expect(test.maxTextLength).toBeGreaterThan(5_000)
    expect(compilePattern('^[a-z]+$').maxTextLength).toBeGreaterThan(1_000_000)
  })
})
