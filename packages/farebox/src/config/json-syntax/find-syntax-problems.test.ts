import * as fc from 'fast-check'
import { growth, LINEAR } from '@farebox/protocol/src/test-setup/cpu-ratio'
import { describe, expect, test } from 'vitest'
import { findSyntaxProblems } from './find-syntax-problems.ts'

/** Each problem as `path: reason → fix`, with the text at fault. */
function problemsOf(text: string): readonly string[] {
  return findSyntaxProblems(text).map(
    ({ start, end, path, reason, fix }) => `[${text.slice(start, end)}] ${path}: ${reason} → ${fix}`,
  )
}

describe('each problem is described in words, at its place', () => {
  test.each([
    ['{"a":1,}', ['[,] : no comma may stand before the closing } → remove the comma']],
    ['{"a":[1,2,]}', ['[,] a: no comma may stand before the closing ] → remove the comma']],
    ['{"a":1 "b":2}', ['[] : a comma is missing after this → write a comma here']],
    ['[1 2]', ['[] : a comma is missing after this → write a comma here']],
    ['{"a":1,,"b":2}', ['[,] : nothing stands before this comma → remove the comma']],
    ['{,"a":1}', ['[,] : nothing stands before this comma → remove the comma']],
    ['{"a" 1}', ['[] a: a colon is missing after this key → write a colon here']],
    ['{"a":}', ['[:] a: a value is missing after the colon → write a value, or remove the key']],
    [
      '{:1}',
      ['[:] : a key is missing before this → write a key in double quotes and a colon, or remove this'],
    ],
    [
      "{'a':'it\\'s'}",
      [
        `['a'] a: JSON takes double quotes only → write "a"`,
        `['it\\'s'] a: JSON takes double quotes only → write "it's"`,
      ],
    ],
    ['{“a”: 1}', ['[“a”] a: JSON takes double quotes only → write "a"']],
    [
      '{a: yes}',
      ['[a] a: a key must stand in double quotes → write "a"', '[yes] a: JSON has no yes → write true'],
    ],
    ['{"a": two words}', ['[two words] a: a text must stand in double quotes → write "two words"']],
    ['{"a": ${X_1}}', ['[${X_1}] a: a text must stand in double quotes → write "${X_1}"']],
    ['{"a": undefined}', ['[undefined] a: JSON has no undefined → remove the key']],
    ['{"a": None}', ['[None] a: JSON has no None → remove the key']],
    ['{"a": -Infinity}', ['[-Infinity] a: JSON has no -Infinity → write a number']],
    ['{"a": 007}', ['[007] a: 007 is not how JSON writes a number → write it like 10 or 0.5']],
    [
      '{"a": 1 // one\n, "b": 2 /* two */ }',
      [
        '[// one] a: JSON has no comments → remove it; a "description" may say it',
        '[/* two */] b: JSON has no comments → remove it; a "description" may say it',
      ],
    ],
    ['{ # one\n}', ['[# one] : JSON has no comments → remove it; a "description" may say it']],
    [
      '{"a": "b\n}',
      [
        '["b] a: this text is not closed on its line → end it with "; a line break within a text is written \\n',
      ],
    ],
    ['{"a": b"}', ['[b] a: the quotation mark before this is missing → write " before it']],
    ['{"a":"b""c":1}', ['[] : a comma is missing after this → write a comma here']],
    [
      '{"a": "the "best" one"}',
      [
        '["] a: the text ends at this quotation mark, but goes on behind it → write \\" for a quotation mark within a text',
      ],
    ],
    [
      '{"a": "b" c: 1}',
      [
        '[] : a comma is missing after this → write a comma here',
        '[c] c: a key must stand in double quotes → write "c"',
      ],
    ],
    ['{"a": "\\d"}', ['[\\d] a: \\d is no escape that JSON knows → write \\\\d for the backslash itself']],
    ['{"a": "\\N"}', ['[\\N] a: \\N is no escape that JSON knows → write \\\\N for the backslash itself']],
    [
      '{"a": "\\\\\\d\\n"}',
      ['[\\d] a: \\d is no escape that JSON knows → write \\\\d for the backslash itself'],
    ],
    ['{"a": "b\tc"}', ['[\t] a: a control character may not stand in a text → remove it']],
    ['{"a": [1, {"b": 2]}', ['[]] a[1]: ] cannot close the { of line 1 → write } instead, or before it']],
    ['{"a": 1', ['[{] : this { is never closed → write } where it ends']],
    ['{"a": 1}, {', ['[,] : the declaration has ended before this → remove what follows its last }']],
    [
      '---\na: 1',
      ['[---] : the file must begin with {, got "---" → write the declaration as one JSON object'],
    ],
    [
      '{\u00a0"a": 1}',
      ['[\u00a0] : an invisible character stands here → remove it, or write an ordinary space'],
    ],
    ['', ['[] : the file is empty → write a declaration; npx farebox init makes one to begin with']],
  ])('%j', (text, problems) => {
    expect(() => JSON.parse(text)).toThrow(SyntaxError)
    expect(problemsOf(text)).toEqual(problems)
  })
})

describe('an unclosed bracket is found by its indentation', () => {
  test('not the outermost one, which is open at the end of the file', () => {
    const text = '{\n  "a": {\n    "b": {\n      "c": 1\n    "d": 2\n  },\n  "e": 3\n}\n'
    expect(problemsOf(text)).toEqual(['[{] a.b: this { is never closed → write "}," after line 4'])
  })

  test('an unclosed array too', () => {
    const text = '{\n  "a": [\n    1,\n    2\n  "e": 3\n}\n'
    expect(problemsOf(text)).toEqual(['[[] a: this [ is never closed → write "]," after line 4'])
  })
})

test('three problems of one kind are listed, with the number of the others', () => {
  const problems = findSyntaxProblems('{a:1, b:2, c:3, d:4, e:5}')
  expect(problems.map(({ fix }) => fix)).toEqual([
    'write "a"',
    'write "b"',
    'write "c", and fix 2 more like this',
  ])
})

/** Valid JSON with some characters inserted, removed or doubled. */
const almostJson = fc
  .tuple(
    fc.json({ maxDepth: 4 }),
    fc.array(fc.tuple(fc.nat(200), fc.nat(3), fc.constantFrom(...'{}[],:"\'\\ \n\t#/*a1.-+\u00a0“”`;=')), {
      minLength: 1,
      maxLength: 4,
    }),
  )
  .map(([json, edits]) =>
    edits.reduce((text, [at, left, put]) => text.slice(0, at) + put + text.slice(at + left), json),
  )

test('VAL-18 every text that JSON.parse refuses is explained, in order, within the text', () => {
  fc.assert(
    fc.property(fc.oneof(almostJson, fc.string(), fc.string({ unit: 'binary' })), text => {
      if (isJson(text)) return
      const problems = findSyntaxProblems(text)
      expect(problems).not.toHaveLength(0)
      for (const { start, end, reason, fix } of problems) {
        expect(start).toBeLessThanOrEqual(end)
        expect(end).toBeLessThanOrEqual(text.length)
        expect(reason).not.toBe('')
        expect(fix).not.toBe('')
      }
      expect(problems.map(({ start }) => start)).toEqual(
        problems.map(({ start }) => start).toSorted((one, other) => one - other),
      )
    }),
    { numRuns: 2_000 },
  )
})

test('VAL-18 a text that JSON.parse accepts has no problem, unless it is nested more than 200 deep', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 5 }), fc.nat(3), (value, indent) => {
      const text = JSON.stringify(value, undefined, indent)
      expect(findSyntaxProblems(text)).toEqual([])
    }),
  )
  const nested = (depth: number): string => '{"]":['.repeat(depth / 2) + ']}'.repeat(depth / 2)
  expect(problemsOf(nested(200))).toEqual([])
  const tooDeep = ['[{] : is nested more than 200 deep → flatten it: a declaration needs far less']
  for (const depth of [202, 200_000]) expect(problemsOf(nested(depth))).toEqual(tooDeep)
})

test('VAL-18 unmatched brackets do not hide the depth of a text', () => {
  expect(problemsOf('["]",'.repeat(100_000))).toEqual([
    '[[] : is nested more than 200 deep → flatten it: a declaration needs far less',
  ])
  expect(problemsOf('[}'.repeat(100_000))).toEqual([
    '[}] : } cannot close the [ of line 1 → write ] instead, or before it',
  ])
})

test('VAL-18 a megabyte of any input takes time in proportion to its length', () => {
  for (const piece of ['x', '"', "'", ',', '\\', '{"a":', 'a:1,', '/* ', '\u00a0', '“', 'x ', '\n']) {
    const find = (length: number): unknown =>
      findSyntaxProblems(`{"a": ${piece.repeat(length / piece.length)}`)
    expect(growth(find, 25_000), piece).toBeLessThan(LINEAR)
  }
})

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
